Feature: One order, one invitation
  A report that is repeated, for whatever reason, leads to no second e-mail. Two reports are the same order when shop,
  e-mail address and order number agree.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §2 (The same order)
  Rule: A repeat gets the invitation of the first report

    Scenario: The same report twice
      Given bakkerij has reported order 1001 of anna@example.com
      When bakkerij reports order 1001 of anna@example.com
      Then it is the same order
      And bakkerij has 1 invitation

    Scenario: A repeat a year later
      Given bakkerij has reported order 1001 of anna@example.com
      When 365 days pass
      And bakkerij reports order 1001 of anna@example.com
      Then it is the same order
      And bakkerij has 1 invitation

    Scenario: Many reports at the same moment
      When bakkerij reports order 1001 of anna@example.com 20 times at the same moment
      Then one report is a new order, and all others get its invitation
      And bakkerij has 1 invitation

  # Spec: §2 (The same order)
  Rule: The first report wins

    Scenario: A repeat with another delay
      Given bakkerij has reported order 1001 of anna@example.com with a delay of 5 days
      When bakkerij reports order 1001 of anna@example.com with a delay of 30 days
      Then it is the same order
      And its invitation is scheduled for 2026-03-06 12:00

    Scenario: A repeat in another language
      Given bakkerij has reported order 1001 of anna@example.com in Dutch
      When bakkerij reports order 1001 of anna@example.com in English
      Then it is the same order
      And its invitation is in Dutch

    Scenario: A repeat two days later
      Given bakkerij has reported order 1001 of anna@example.com
      When 2 days pass
      And bakkerij reports order 1001 of anna@example.com
      Then it is the same order
      And its invitation is scheduled for 2026-03-06 12:00

  # Spec: §2 (The same order)
  Rule: An address is the same in capitals, between blanks, and with its domain in either spelling

    Scenario Outline: <first> and <second> are one customer
      Given bakkerij has reported order 1001 of <first>
      When bakkerij reports order 1001 of <second>
      Then it is the same order
      And bakkerij has 1 invitation

      Examples:
        | first                   | second                         |
        | anna@example.com        | Anna@example.com               |
        | anna@example.com        | anna@EXAMPLE.com               |
        | ANNA@EXAMPLE.COM        | anna@example.com               |
        | anna@example.com        | "  anna@example.com "          |
        | anna@bücher.example.com | anna@xn--bcher-kva.example.com |
        | anna@BÜCHER.example.com | anna@bücher.example.com        |

  # Spec: §2 (The same order)
  Rule: Dots and tags make another customer

    Scenario Outline: <first> and <second> are two customers
      Given bakkerij has reported order 1001 of <first>
      When bakkerij reports order 1001 of <second>
      Then it is a new order
      And bakkerij has 2 invitations

      Examples:
        | first              | second                  |
        | annab@example.com  | anna.b@example.com      |
        | anna@example.com   | anna+bread@example.com  |
        | anna@example.com   | bob@example.com         |
        | anna@example.com   | anna@example.nl         |

  # Spec: §2 (The same order)
  Rule: An order number is the same between blanks, and otherwise only as it was given

    Scenario: Blanks around it do not count
      Given bakkerij has reported order 1001 of anna@example.com
      When bakkerij reports order "  1001 " of anna@example.com
      Then it is the same order

    Scenario Outline: <first> and <second> are two orders
      Given bakkerij has reported order <first> of anna@example.com
      When bakkerij reports order <second> of anna@example.com
      Then it is a new order
      And bakkerij has 2 invitations

      Examples:
        | first  | second  |
        | 1001   | 1002    |
        | 1001   | 01001   |
        | A-1001 | a-1001  |
        | "10 01" | 1001   |

  # Spec: §2 (The same order)
  Rule: Two shops never share an order

    Scenario: Another shop has an order of the same number and customer
      Given the shop boekhandel with an API key
      And bakkerij has reported order 1001 of anna@example.com
      When boekhandel reports order 1001 of anna@example.com
      Then it is a new order
      And its invitation belongs to boekhandel
      And bakkerij has 1 invitation
