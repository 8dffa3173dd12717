Feature: A page in the customer's browser tells of an order
  The page that confirms an order can tell of it, without a secret. The answer says only that it was understood.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij.nl is a verified host of bakkerij

  # Spec: §4.2, §1
  Rule: An order that a page tells of gets one invitation, as the shop has set it

    Scenario: A new order
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij
      Then it is acknowledged
      And bakkerij has 1 invitation

    Scenario: The shop's own language and delay apply
      Given bakkerij writes to its customers in English
      And bakkerij invites its customers after 2 days
      And a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij
      When bakkerij reports order 1001 of anna@example.com in Dutch with a delay of 9 days
      Then it was reported before
      And its invitation is scheduled for 2026-03-03 12:00
      And its invitation is in English

  # Spec: §2 (The same order), §4.2
  Rule: The page and the shop's server tell of the same order, whichever comes first

    Scenario: The page first
      Given a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij
      When bakkerij reports order 1001 of Anna@Example.com
      Then it was reported before
      And bakkerij has 1 invitation

    Scenario: The server first
      Given bakkerij has reported order 1001 of anna@example.com
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij
      Then it is acknowledged
      And bakkerij has 1 invitation

  # Spec: §4.2, §7
  Rule: Nobody can distinguish a new order, a repeat and a customer who opted out

    Scenario: A repeat
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij
      And the page tells of it again
      Then all of them are acknowledged
      And bakkerij has 1 invitation

    Scenario: A customer who opted out
      Given bakkerij has reported order 1001 of anna@example.com
      When anna@example.com opts out of bakkerij
      And a page of https://bakkerij.nl tells of order 1002 of anna@example.com at bakkerij
      Then it is acknowledged

  # Spec: §4.2, §7
  Rule: What is wrong with a report is said

    Scenario Outline: <what>
      When a page of https://bakkerij.nl tells of order <number> of <email> at bakkerij
      Then the report is refused, because <reason>
      And bakkerij has no invitations

      Examples:
        | what         | number       | email            | reason                                      |
        | no address   | 1001         | anna             | the e-mail address is not valid             |
        | a line break | "1\\u000a1"  | anna@example.com | the order number holds forbidden characters |

    Scenario: The shop is not active
      Given bakkerij is not active
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij
      Then the report is refused, because the shop is not active
