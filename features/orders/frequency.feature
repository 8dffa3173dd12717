Feature: How often one customer is invited
  A shop may have each customer invited at most once in a number of days. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §2 (How often one address is invited)
  Rule: Without the rule every order leads to an invitation

    Scenario: A customer orders twice
      When bakkerij reports order 1001 of anna@example.com
      And bakkerij reports order 1002 of anna@example.com
      And it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got 2 e-mails

  # Spec: §2 (How often one address is invited)
  Rule: With it, one that is too close to another is suppressed

    Scenario: A customer orders twice within the days
      Given bakkerij invites a customer at most once in 30 days
      When bakkerij reports order 1001 of anna@example.com
      And 20 days pass
      And the worker runs
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is suppressed
      And no address is kept of the invitation
      When 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: The days are over
      Given bakkerij invites a customer at most once in 30 days
      When bakkerij reports order 1001 of anna@example.com
      And 5 days pass
      And the worker runs
      And 26 days pass
      And bakkerij reports order 1002 of anna@example.com
      And 5 days pass
      And the worker runs
      Then anna@example.com has got 2 e-mails

    Scenario: Another customer
      Given bakkerij invites a customer at most once in 30 days
      When bakkerij reports order 1001 of anna@example.com
      And bakkerij reports order 1002 of bert@example.com
      Then the invitation is scheduled

    Scenario: What a stranger told of through the snippet keeps no order of the shop from its invitation
      Given bakkerij invites a customer at most once in 30 days
      And bakkerij.nl is a verified host of bakkerij
      And a page of https://bakkerij.nl has told of order 1 of anna@example.com at bakkerij
      When bakkerij reports order 1001 of anna@example.com
      Then the invitation is scheduled
      When 5 days pass
      And the worker runs
      Then the invitation is sent

    Scenario: The operator has it sent all the same
      When bakkerij reports order 1001 of anna@example.com
      And it is 2026-03-06 12:00
      And the worker runs
      And bakkerij reports order 1002 of anna@example.com
      And bakkerij from now on invites a customer at most once in 30 days
      And the operator has the invitation sent at once
      And the worker runs
      Then anna@example.com has got 2 e-mails
