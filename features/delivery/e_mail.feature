Feature: What the e-mail says
  It is written in the shop's name, names the order, says who sends it and why, and holds two links: to write the
  review, and to stop such e-mails.

  Background:
    Given it is 2026-03-01 12:00
    And its pages are at https://reviews.example.com
    And the shop bakkerij with an API key
    And bakkerij is called "Bakkerij De Molen"

  # Spec: §6 (The invitation)
  Rule: It comes from the service's own address, in the shop's name

    Scenario: The sender
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail comes from invitations@localhost, in the name of
        """
        Bakkerij De Molen
        """

  # Spec: §6 (The invitation)
  Rule: It shows the order number, if there is one

    Scenario: There is one
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says
        """
        U hebt onlangs iets besteld bij Bakkerij De Molen (bestelnummer 1001).
        """

    Scenario: There is none
      Given bakkerij has reported an order of anna@example.com without a number
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says
        """
        U hebt onlangs iets besteld bij Bakkerij De Molen.
        """

    # Spec: §2 (Order report)
    Scenario Outline: What may be a message or a link is none for the customer, and whole for the shop
      Given bakkerij has reported order <number> of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says
        """
        U hebt onlangs iets besteld bij Bakkerij De Molen.
        """
      And its invitation shows order number <number>

      Examples:
        | number                                              |
        | "1. Your parcel is HELD: pay at https://evil.nl/77" |
        | 1/evil.nl                                           |
        | order                                               |

  # Spec: §6 (The invitation)
  Rule: It says who sends it, on whose behalf, and why

    Scenario: The service sends it for the shop, since the customer ordered there
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says
        """
        Deze e-mail is verstuurd door reviews.example.com namens Bakkerij De Molen, omdat u daar iets hebt besteld.
        """

  # Spec: §1 (What a shop sends, and what is kept), §6 (The invitation)
  Rule: It says what happens with the address

    Scenario: This one invitation, and no more
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says
        """
        We gebruiken uw e-mailadres alleen voor deze uitnodiging.
        U krijgt geen herinnering, en daarna wissen we het adres.
        """

  # Spec: §6 (The invitation)
  Rule: It asks every customer alike, and promises nothing for a good score

    Scenario: Good or bad
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says
        """
        Elke mening telt, goed of slecht.
        """

  # Spec: §6 (The invitation)
  Rule: It holds one personal link to write the review, and one to stop such e-mails

    Scenario: The two links
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail holds one personal link to https://reviews.example.com/r/
      And anna@example.com's e-mail holds one personal link to https://reviews.example.com/u/
      And anna@example.com's e-mail holds no other link

    Scenario: It says what the second is for
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says
        """
        Liever geen uitnodigingen meer? Afmelden
        """

    Scenario: Mail programs know the second, too
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's mail program can stop them with one click

  # Spec: §6 (The invitation)
  Rule: Answers go to the shop, if it has given an address for them

    Scenario: It has
      Given bakkerij has given vragen@example.com for replies
      And bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then an answer to anna@example.com's e-mail goes to vragen@example.com
      And anna@example.com's e-mail says
        """
        Een vraag over uw bestelling? Beantwoord deze e-mail: uw antwoord gaat naar Bakkerij De Molen.
        """

    Scenario: It has not
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then an answer to anna@example.com's e-mail goes to invitations@localhost

    Scenario: It had
      Given bakkerij has given vragen@example.com for replies
      And bakkerij has reported order 1001 of anna@example.com
      And bakkerij has taken its address for replies away
      When it is 2026-03-06 12:00
      And the worker runs
      Then an answer to anna@example.com's e-mail goes to invitations@localhost

  # Spec: §6 (The invitation)
  Rule: Mail programs learn that a program wrote it, and whose invitation it is

    Scenario: Nobody's holiday greeting answers it
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com's e-mail says that a program wrote it
      And anna@example.com's e-mail is known by its invitation

  # Spec: §6 (The invitation)
  Rule: What a shop is called changes the name and nothing else

    Scenario Outline: A shop called <name>
      Given bakkerij is called "<name>"
      And bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then the subject of anna@example.com's e-mail is
        """
        Hoe was uw bestelling bij <name>?
        """
      And anna@example.com's e-mail tells mail programs what every invitation does, and nothing more

      Examples:
        | name                                                     |
        | O'Neill & Zoon, (Den Haag)                               |
        | =?UTF-8?Q?=0A?=Bcc: bob                                  |
        | bob>, <bob                                               |
        | 🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐🥐 |

  # Spec: §2 (The same order)
  Rule: It goes to the address as the customer wrote it

    Scenario: Capitals stay
      Given bakkerij has reported order 1001 of Anna.B@example.com
      When it is 2026-03-06 12:00
      And the worker runs
      Then Anna.B@example.com has got 1 e-mail
