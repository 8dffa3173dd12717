Feature: An invitation in the customer's language
  An invitation is Dutch or English from its subject to its last line.

  Background:
    Given it is 2026-03-01 12:00
    And its pages are at https://reviews.example.com
    And the shop bakkerij with an API key
    And bakkerij is called "Bakkerij De Molen"
    And bakkerij has given vragen@example.com for replies

  # Spec: §6 (The invitation)
  Rule: All of it is in one language

    Scenario: In Dutch
      Given bakkerij has reported order 1001 of anna@example.com in Dutch
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail is marked as Dutch
      And the subject of anna@example.com's e-mail is
        """
        Hoe was uw bestelling bij Bakkerij De Molen?
        """
      And anna@example.com's e-mail says
        """
        U hebt onlangs iets besteld bij Bakkerij De Molen (bestelnummer 1001).
        """
      And anna@example.com's e-mail says
        """
        Hoe was uw bestelling?
        """
      And anna@example.com's e-mail says
        """
        Elke mening telt, goed of slecht.
        """
      And anna@example.com's e-mail says
        """
        Schrijf uw beoordeling
        """
      And anna@example.com's e-mail says
        """
        Een vraag over uw bestelling? Beantwoord deze e-mail: uw antwoord gaat naar Bakkerij De Molen.
        Deze e-mail is verstuurd door reviews.example.com namens Bakkerij De Molen, omdat u daar iets hebt besteld.
        We gebruiken uw e-mailadres alleen voor deze uitnodiging.
        U krijgt geen herinnering, en daarna wissen we het adres.
        Liever geen uitnodigingen meer? Afmelden
        """

    Scenario: In English
      Given bakkerij has reported order 1001 of anna@example.com in English
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail is marked as English
      And the subject of anna@example.com's e-mail is
        """
        How was your order from Bakkerij De Molen?
        """
      And anna@example.com's e-mail says
        """
        You recently ordered from Bakkerij De Molen (order number 1001).
        """
      And anna@example.com's e-mail says
        """
        How was your order?
        """
      And anna@example.com's e-mail says
        """
        Every opinion counts, good or bad.
        """
      And anna@example.com's e-mail says
        """
        Write your review
        """
      And anna@example.com's e-mail says
        """
        Any questions about your order? Reply to this e-mail: your reply goes to Bakkerij De Molen.
        This e-mail was sent by reviews.example.com on behalf of Bakkerij De Molen because you ordered there.
        We use your e-mail address for this invitation only. We send no reminders and erase the address afterwards.
        Prefer not to get these invitations? Unsubscribe
        """

  # Spec: §2 (Order report), §6 (The invitation)
  Rule: The language is that of the report, or else the shop's when it was reported

    Scenario: The shop's own language
      Given bakkerij writes to its customers in English
      And bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail is marked as English

    Scenario: The shop has changed its language since
      Given bakkerij has reported order 1001 of anna@example.com
      And bakkerij writes to its customers in English
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail is marked as Dutch

  # Spec: §6 (The invitation)
  Rule: A name keeps its own script

    Scenario Outline: <name>
      Given bakkerij is called "<name>"
      And bakkerij has reported order 1001 of anna@example.com in <language>
      When it is 2026-03-06 12:00
      And the worker runs
      Then the subject of anna@example.com's e-mail is
        """
        <subject>
        """
      And anna@example.com's e-mail comes from invitations@localhost, in the name of
        """
        <name>
        """

      Examples:
        | name             | language | subject                                 |
        | Käse & Söhne     | Dutch    | Hoe was uw bestelling bij Käse & Söhne? |
        | 寿司             | English  | How was your order from 寿司?           |
        | مخبز             | Dutch    | Hoe was uw bestelling bij مخبز?         |
        | Пекарня 🥐       | English  | How was your order from Пекарня 🥐?     |
