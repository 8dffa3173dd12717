Feature: What the e-mail says
  It is written in the shop's name, names the order, and holds one link: the customer's own.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij is called "Bakkerij De Molen"

  # Spec: §6 (The e-mail)
  Rule: The e-mail is in the invitation's language and in the shop's name

    Scenario: In Dutch
      Given bakkerij has reported order 1001 of anna@example.com in Dutch
      When it is 2026-03-06 12:00
      And the worker runs
      Then the subject of anna@example.com's e-mail is
        """
        Hoe was uw bestelling bij Bakkerij De Molen?
        """
      And anna@example.com's e-mail says
        """
        U hebt onlangs iets besteld bij Bakkerij De Molen (bestelnummer 1001).
        """

    Scenario: In English
      Given bakkerij has reported order 1001 of anna@example.com in English
      When it is 2026-03-06 12:00
      And the worker runs
      Then the subject of anna@example.com's e-mail is
        """
        How was your order from Bakkerij De Molen?
        """
      And anna@example.com's e-mail says
        """
        You recently ordered from Bakkerij De Molen (order number 1001).
        """

  # Spec: §6 (The e-mail)
  Rule: It shows the order number, if there is one

    Scenario: There is none
      Given bakkerij has reported an order of anna@example.com without a number
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says
        """
        U hebt onlangs iets besteld bij Bakkerij De Molen.
        """

  # Spec: §6 (The e-mail)
  Rule: It holds one personal link

    Scenario: The link to the review page
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail holds one personal link

  # Spec: §2 (The same order)
  Rule: It goes to the address as the customer wrote it

    Scenario: Capitals stay
      Given bakkerij has reported order 1001 of Anna.B@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then Anna.B@example.com has got 1 e-mail
