Feature: 120 reports a minute
  Each API key may report 120 orders in any 60 seconds. The limit is exact: it is a promise to the shop as well as a
  bound. A shop that keeps to it is never refused.

  # Spec: §8 (Limits a minute are exact)
  Rule: In any 60 seconds a key reports 120 orders, and no more

    Background:
      Given it is 2026-03-01 12:00:00
      And the shop bakkerij with an API key

    Scenario: The 121st is refused, and told how long to wait
      When bakkerij reports 120 orders
      Then all of them are accepted
      When bakkerij reports one more order
      Then the report is refused, and may be tried again in 60 seconds

    Scenario: The minute slides; it does not restart with the clock
      Given bakkerij has reported 60 orders
      When it is 2026-03-01 12:00:40
      And bakkerij reports 60 orders
      Then all of them are accepted
      When it is 2026-03-01 12:01:00
      And bakkerij reports 61 orders
      Then 60 of them are accepted, and 1 is refused
      And the report is refused, and may be tried again in 40 seconds

  # Spec: §8 (Limits a minute are exact)
  Rule: The answer gives the wait in whole seconds, and after it the next report fits

    Background:
      Given it is 2026-03-01 12:00:00
      And the operator allows each key 3 reports a minute
      And the shop bakkerij with an API key
      And bakkerij has reported 3 orders

    Scenario Outline: At <time> the wait is <seconds> seconds
      When it is 2026-03-01 <time>
      And bakkerij reports one more order
      Then the report is refused, and may be tried again in <seconds> seconds

      Examples:
        | time         | seconds |
        | 12:00:00     | 60      |
        | 12:00:00.001 | 60      |
        | 12:00:20     | 40      |
        | 12:00:58.500 | 2       |
        | 12:00:59.999 | 1       |

    Scenario: At exactly that second the next one fits
      When it is 2026-03-01 12:01:00
      And bakkerij reports one more order
      Then it is a new order

  # Spec: §8 (Limits a minute are exact), §4.1
  Rule: Whatever is admitted counts, and nothing else

    Background:
      Given it is 2026-03-01 12:00:00
      And the operator allows each key 3 reports a minute
      And the shop bakkerij with an API key

    Scenario: What is refused by the limit takes nothing
      Given bakkerij has reported 3 orders
      When it is 2026-03-01 12:00:30
      And bakkerij reports 5 orders
      Then 0 of them are accepted, and 5 are refused
      When it is 2026-03-01 12:01:00
      And bakkerij reports 3 orders
      Then all of them are accepted

    Scenario: A repeat takes from it as a new order does
      Given bakkerij has reported order 1001 of anna@example.com
      When bakkerij reports it again
      And bakkerij reports it again
      And bakkerij reports it again
      Then the report is refused, because the limit is reached

    Scenario: A report with a mistake takes from it too
      When bakkerij reports order 1001 of anna
      And bakkerij reports order 1001 of anna
      And bakkerij reports order 1001 of anna
      And bakkerij reports order 1001 of anna@example.com
      Then the report is refused, because the limit is reached
      And bakkerij has no invitations

    Scenario: Reports at the same time are counted one by one
      When bakkerij reports 10 orders at the same time
      Then 3 of them are accepted, and 7 are refused
      And bakkerij has 3 invitations

  # Spec: §8
  Rule: Each key has a limit of its own

    Background:
      Given it is 2026-03-01 12:00:00
      And the operator allows each key 3 reports a minute
      And the shop bakkerij with an API key

    Scenario: A shop's other key
      Given bakkerij has a second API key
      And bakkerij has reported 3 orders
      When bakkerij reports an order with its first key
      Then the report is refused, because the limit is reached
      When bakkerij reports an order with its second key
      Then it is a new order

    Scenario: Another shop
      Given the shop boekhandel with an API key
      And bakkerij has reported 3 orders
      When boekhandel reports order 1001 of anna@example.com
      Then it is a new order

  # Spec: §8
  Rule: The operator sets the figure, and 0 switches the limit off

    Scenario: Another figure
      Given the operator allows each key 5 reports a minute
      And the shop bakkerij with an API key
      When bakkerij reports 6 orders
      Then 5 of them are accepted, and 1 is refused

    Scenario: No limit
      Given the operator has switched the limit off
      And the shop bakkerij with an API key
      When bakkerij reports 150 orders
      Then all of them are accepted

  # Spec: §8
  Rule: Only API keys are limited, not operators and not programs that embed the service

    @library
    Scenario: A program that embeds the service
      Given the operator allows each key 3 reports a minute
      And the shop bakkerij with an API key
      When a program that embeds the service reports 5 orders of bakkerij
      Then all of them are accepted

    @cli
    Scenario: An operator
      Given the operator allows each key 1 report a minute
      And the operator has run `reviewinvite shop add bakkerij --name Bakkerij`
      And the operator has run `reviewinvite order report bakkerij anna@example.com --order-number 1001`
      When the operator runs `reviewinvite order report bakkerij anna@example.com --order-number 1002`
      Then the command succeeds
      And it prints `Duplicate no`
