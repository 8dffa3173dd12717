Feature: Signing in by a link
  A member has no password. A link that is sent to the member's address signs in, once. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And eva@example.com is an owner of bakkerij, and has signed in before

  # Spec: §10.2
  Rule: Only a member gets a link, and the answer tells nobody who is one

    Scenario: A member asks
      When someone asks for a sign-in link for eva@example.com
      Then eva@example.com has got 1 sign-in link

    Scenario: A stranger's address
      When someone asks for a sign-in link for bob@example.com
      And someone asks for a sign-in link for eva@example.com
      Then both were told the same
      And bob@example.com has got no e-mail

    Scenario: The address in other letters
      When someone asks for a sign-in link for Eva@EXAMPLE.com
      Then eva@example.com has got 1 sign-in link

    Scenario: A member who wants no invitations
      When the operator suppresses eva@example.com
      And someone asks for a sign-in link for eva@example.com
      Then eva@example.com has got 1 sign-in link

  # Spec: §10.2
  Rule: Opening a link shows whom it signs in, and its button signs in

    Scenario: A member signs in
      Given eva@example.com has asked for a sign-in link
      When eva@example.com opens the link
      Then the page offers to sign in eva@example.com
      When eva@example.com presses its button
      Then eva@example.com is signed in

    Scenario: A scanner has opened the link before
      Given eva@example.com has asked for a sign-in link
      When a scanner opens the link
      Then the scanner is not signed in
      When eva@example.com presses its button
      Then eva@example.com is signed in

  # Spec: §10.2
  Rule: A link works once, and for 15 minutes

    Scenario: A second time
      Given eva@example.com has asked for a sign-in link
      When eva@example.com presses its button
      And a stranger presses its button
      Then the stranger is not signed in
      When a stranger opens the link
      Then the link does not work

    Scenario Outline: A member's link, <when>
      Given eva@example.com has asked for a sign-in link
      When it is <time>
      And eva@example.com opens the link
      Then <outcome>

      Examples:
        | when         | time                    | outcome                                    |
        | just in time | 2026-03-01 12:14:59.999 | the page offers to sign in eva@example.com |
        | too late     | 2026-03-01 12:15        | the link does not work                     |

    Scenario: A link that was never made
      When a stranger opens a link that looks right, but was never made
      Then the link does not work

    Scenario: Several links at once
      Given eva@example.com has asked for a sign-in link
      And eva@example.com has asked for a sign-in link
      When eva@example.com presses the button of the first link
      Then eva@example.com is signed in
      When eva@example.com opens the link
      Then the page offers to sign in eva@example.com

  # Spec: §10.2
  Rule: A new member's link works for 72 hours, until the first sign-in

    Scenario Outline: A new member's link, <when>
      Given the operator has made tom@example.com staff of bakkerij
      When it is <time>
      And tom@example.com opens the link
      Then <outcome>

      Examples:
        | when             | time                | outcome                                    |
        | three days later | 2026-03-04 11:59:59 | the page offers to sign in tom@example.com |
        | after three days | 2026-03-04 12:00    | the link does not work                     |

    Scenario: Signed in by another link meanwhile
      Given the operator has made tom@example.com staff of bakkerij
      And tom@example.com has asked for a sign-in link
      When tom@example.com presses its button
      And tom@example.com opens the first link
      Then the link does not work

  # Spec: §10.2, §8
  Rule: Nobody is flooded with links, and nobody is locked out

    Scenario: The sixth within an hour
      When someone asks 6 times for a sign-in link for eva@example.com
      Then eva@example.com has got 5 sign-in links
      When eva@example.com presses the button of the first link
      Then eva@example.com is signed in

    Scenario: An hour later
      When someone asks 6 times for a sign-in link for eva@example.com
      And it is 2026-03-01 13:00
      And someone asks for a sign-in link for eva@example.com
      Then eva@example.com has got 6 sign-in links

    Scenario: The operator helps
      When someone asks 6 times for a sign-in link for eva@example.com
      And the operator makes eva@example.com a link
      And eva@example.com presses its button
      Then eva@example.com is signed in

    Scenario Outline: Strangers ask <times> times, before and meanwhile
      When someone asks <times> times for a sign-in link for eva@example.com
      And it is 2026-03-01 12:10:01
      And someone asks <times> times for a sign-in link for eva@example.com
      And eva@example.com opens the link
      Then the page offers to sign in eva@example.com
      When it is 2026-03-01 12:15
      And eva@example.com opens the link
      Then the page offers to sign in eva@example.com

      Examples:
        | times |
        | 5     |
        | 20    |

    Scenario: One client asks for many addresses
      When one client asks for sign-in links for 30 addresses, and then for eva@example.com
      Then eva@example.com has got 1 sign-in link
      When one client asks for sign-in links for 30 addresses, and then for eva@example.com
      Then eva@example.com has got 1 sign-in link

    Scenario: In a browser in which she was signed in before
      When someone asks 6 times for a sign-in link for eva@example.com
      And eva@example.com asks for a link in her own browser
      Then eva@example.com has got 6 sign-in links
      When eva@example.com presses its button
      Then eva@example.com is signed in

    Scenario: While the mail server is away
      When the mail server is away, and someone asks 9 times for a sign-in link for eva@example.com
      And it is 2026-03-01 12:01
      And the worker runs
      Then eva@example.com has got 1 sign-in link
