Feature: Orders without a number
  Some shops do not send order numbers. Then a customer's reports within 60 days count as one order, so that a reloaded
  page does not send a second e-mail.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported an order of anna@example.com without a number

  # Spec: §2 (The same order)
  Rule: Within 60 days of a customer's first unnumbered report it is the same order

    Scenario: A moment later
      When bakkerij reports an order of anna@example.com without a number
      Then it is the same order
      And bakkerij has 1 invitation

    Scenario: A moment before the 60 days are over
      When it is 2026-04-30 11:59:59.999
      And bakkerij reports an order of anna@example.com without a number
      Then it is the same order

    Scenario: When the 60 days are over
      When it is 2026-04-30 12:00
      And bakkerij reports an order of anna@example.com without a number
      Then it is a new order
      And its invitation is scheduled for 2026-05-05 12:00
      And bakkerij has 2 invitations

    Scenario: Another customer's is another order
      When bakkerij reports an order of bob@example.com without a number
      Then it is a new order

    Scenario: Another shop's is another order
      Given the shop boekhandel with an API key
      When boekhandel reports an order of anna@example.com without a number
      Then it is a new order

  # Spec: §2 (The same order)
  Rule: A repeat does not lengthen the 60 days

    Scenario: A repeat on the way
      When 59 days pass
      And bakkerij reports an order of anna@example.com without a number
      And 1 day passes
      And bakkerij reports an order of anna@example.com without a number
      Then it is a new order

    Scenario: The new order begins 60 days of its own
      When 60 days pass
      And bakkerij reports an order of anna@example.com without a number
      And 59 days pass
      And bakkerij reports an order of anna@example.com without a number
      Then it was reported before
      And its invitation is scheduled for 2026-05-05 12:00
      And bakkerij has 2 invitations

  # Spec: §2 (The same order)
  Rule: An order with a number and one without are never the same

    Scenario: A number where there was none
      When bakkerij reports order 1001 of anna@example.com
      Then it is a new order

    Scenario: No number where there was one
      Given bakkerij has reported order 1001 of bob@example.com
      When bakkerij reports an order of bob@example.com without a number
      Then it is a new order
