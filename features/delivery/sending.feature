Feature: An invitation leaves
  A worker sends what is due. Each order leads to at most one e-mail. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §6
  Rule: An invitation leaves when it is due, and not before

    Scenario: A moment too early
      When it is 2026-03-06 11:59:59.999
      And the worker runs
      Then anna@example.com has got no e-mail
      And the invitation is scheduled

    Scenario: When it is due
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And the invitation is sent

    Scenario: Later, if the worker did not run
      When 20 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: A delay of 0 days
      Given bakkerij has reported order 1002 of bob@example.com with a delay of 0 days
      When the worker runs
      Then bob@example.com has got 1 e-mail
      And anna@example.com has got no e-mail

  # Spec: §1 (One invitation for one order), §6 (Never twice)
  Rule: It leaves once

    Scenario: The worker runs again
      When it is 2026-03-06 12:00
      And the worker runs
      And the worker runs
      And 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: Many workers run
      Given bakkerij has reported 20 orders
      When it is 2026-03-06 12:00
      And 4 workers run at the same time
      Then 21 customers have got one e-mail each

    Scenario: The order is reported again before it leaves
      When bakkerij reports it again
      And it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: The order is reported again after it has left
      When it is 2026-03-06 12:00
      And the worker runs
      And bakkerij reports it again
      Then it is the same order
      When 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail

    @lasting
    Scenario: The service is stopped and started again
      When it is 2026-03-06 12:00
      And the worker runs
      And the service is stopped and started again
      And the worker runs
      Then anna@example.com has got 1 e-mail

  # Spec: §3
  Rule: A cancelled invitation never leaves

    Scenario: It is cancelled in time
      When the operator cancels the invitation
      And it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got no e-mail
      And the invitation is cancelled

    Scenario: It is cancelled at the last moment
      When it is 2026-03-06 12:00
      And the worker runs, and the operator cancels the invitation at the last moment
      Then anna@example.com has got no e-mail
      And the invitation is cancelled

    Scenario: A repeat does not bring it back
      When the operator cancels the invitation
      And bakkerij reports it again
      Then it is the same order
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got no e-mail

    Scenario: Once it has left it is too late
      When it is 2026-03-06 12:00
      And the worker runs
      Then it is too late to cancel the invitation

  # Spec: §3 (Shop)
  Rule: An inactive shop's invitations wait, for 60 days at most

    Scenario: They wait
      When the operator deactivates bakkerij
      And it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got no e-mail
      And the invitation is scheduled

    Scenario: The shop is deactivated at the last moment
      When it is 2026-03-06 12:00
      And the worker runs, and the operator deactivates bakkerij at the last moment
      Then anna@example.com has got no e-mail
      And the invitation is scheduled

    Scenario: They leave when the shop is active again
      When the operator deactivates bakkerij
      And it is 2026-03-06 12:00
      And the worker runs
      And 10 days pass
      And the operator activates bakkerij again
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And the invitation is sent

    Scenario: 60 days after they were due they still leave
      When the operator deactivates bakkerij
      And it is 2026-05-05 12:00
      And the operator activates bakkerij again
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: After that it is too late
      When the operator deactivates bakkerij
      And it is 2026-05-05 12:00:00.001
      And the operator activates bakkerij again
      And the worker runs
      Then anna@example.com has got no e-mail
      And the invitation is expired

    Scenario: Other shops do not wait
      Given the shop boekhandel with an API key
      And boekhandel has reported order 7 of bob@example.com
      When the operator deactivates bakkerij
      And it is 2026-03-06 12:00
      And the worker runs
      Then bob@example.com has got 1 e-mail
      And anna@example.com has got no e-mail
