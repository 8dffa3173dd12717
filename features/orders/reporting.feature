Feature: A shop reports an order
  A shop tells that an order was completed. Some days later its customer gets one e-mail with an
  invitation to review it. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §1, §2 (Invitation result)
  Rule: A new order gets an invitation, with an id and a time

    Scenario: The first report of an order
      When bakkerij reports order 1001 of anna@example.com
      Then it is a new order
      And its invitation is scheduled for 2026-03-06 12:00
      And its invitation shows order number 1001
      And its invitation belongs to bakkerij

    Scenario: Two orders of one customer
      Given bakkerij has reported order 1001 of anna@example.com
      When bakkerij reports order 1002 of anna@example.com
      Then it is a new order
      And bakkerij has 2 invitations

    Scenario: The order number may be left out
      When bakkerij reports an order of anna@example.com without a number
      Then it is a new order
      And its invitation is scheduled for 2026-03-06 12:00

  # Spec: §4
  Rule: What was acknowledged is kept

    @lasting
    Scenario: The service is stopped and started again
      Given bakkerij has reported order 1001 of anna@example.com
      When the service is stopped and started again
      Then its invitation is scheduled for 2026-03-06 12:00
      And bakkerij has 1 invitation

  # Spec: §3 (Shop)
  Rule: An inactive shop cannot report

    Scenario: The shop is not active
      Given bakkerij is not active
      When bakkerij reports order 1001 of anna@example.com
      Then the report is refused, because the shop is not active
      And bakkerij has no invitations

    Scenario: The shop is active again
      Given bakkerij is not active
      When the operator activates bakkerij again
      And bakkerij reports order 1001 of anna@example.com
      Then it is a new order

    Scenario: Other shops are not concerned
      Given the shop boekhandel with an API key
      And bakkerij is not active
      When boekhandel reports order 1001 of anna@example.com
      Then it is a new order
