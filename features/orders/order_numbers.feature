Feature: The order number
  The shop's own number for the order. It stands in the e-mail, and it tells one order from another.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §2 (Order report)
  Rule: An order number is any text of 1 to 128 characters

    Scenario Outline: <number> is an order number
      When bakkerij reports order <number> of anna@example.com
      Then it is a new order
      And its invitation shows order number <number>

      Examples:
        | number          |
        | 1001            |
        | 2026-0193/A     |
        | "INV 1001 #2"   |
        | "été-٣-注文"    |

    Scenario: Blanks around it are dropped
      When bakkerij reports order "  1001 " of anna@example.com
      Then its invitation shows order number 1001

    Scenario: 128 characters are not too many
      When bakkerij reports an order whose number has 128 characters
      Then it is a new order

  # Spec: §2 (Order report)
  Rule: An empty order number counts as none

    Scenario Outline: An order number that is <what>
      Given bakkerij has reported an order of anna@example.com without a number
      When bakkerij reports order <number> of anna@example.com
      Then it is the same order
      And bakkerij has 1 invitation

      Examples:
        | what        | number |
        | empty       | ""     |
        | only blanks | "   "  |

  # Spec: §2 (Order report), §7
  Rule: Anything else is refused

    Scenario: 129 characters are too many
      When bakkerij reports an order whose number has 129 characters
      Then the report is refused, because the order number is too long
      And bakkerij has no invitations

    Scenario Outline: An order number with <what> is refused
      When bakkerij reports order <number> of anna@example.com
      Then the report is refused, because the order number holds forbidden characters

      Examples:
        | what                           | number         |
        | a line break                   | "10\\u000a01"  |
        | a tab                          | "10\\u000901"  |
        | a zero character               | "10\\u000001"  |
        | a mark that turns text around  | "10\\u202e01"  |
        | an invisible direction mark    | "10\\u200f01"  |
