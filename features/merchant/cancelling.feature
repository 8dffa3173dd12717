Feature: A shop withdraws an invitation
  An order was refunded: its customer is not to be asked about it.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §4.9
  Rule: A shop lists its own invitations in one state

    Scenario: What was withdrawn is found, and no longer among what waits
      Given the shop boekhandel with an API key
      And boekhandel has reported order 1001 of anna@example.com
      And bakkerij has reported order 1002 of anna@example.com
      When bakkerij withdraws that invitation
      Then bakkerij finds the order 1002 among the cancelled
      And bakkerij finds the order 1001 among the scheduled

  # Spec: §4.6, §3
  Rule: Before it is handed over, it is cancelled and nothing goes out

    Scenario: In time
      When bakkerij withdraws that invitation
      Then the invitation is cancelled
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got no e-mail

    Scenario: Too late
      When it is 2026-03-06 12:00
      And the worker runs
      And bakkerij withdraws that invitation
      Then the shop is refused with too_late
      And the invitation is sent

    Scenario: Another shop's
      Given the shop boekhandel with an API key
      When boekhandel withdraws that invitation
      Then the shop is refused with invitation_unknown
      And the invitation is scheduled
