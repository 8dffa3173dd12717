Feature: How long an address is kept is the operator's to say
  90 days after the invitation was due unless set otherwise. What was never sent by then is not sent any more.

  Background:
    Given it is 2026-03-01 12:00
    And the operator keeps addresses for 10 days
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §1 (What a shop sends, and what is kept), §8 (Settings)
  Rule: After that time it is erased, whatever the state

    Scenario: It has left
      When it is 2026-03-06 12:00
      And the worker runs
      And it is 2026-03-16 12:00:00.001
      And the operator purges
      Then no address is kept of the invitation
      And the invitation is sent

    Scenario: It never left, since its shop was not active
      Given bakkerij is not active
      When it is 2026-03-16 12:00
      And the operator purges
      Then an address is kept of the invitation
      When it is 2026-03-16 12:00:00.001
      And the operator purges
      Then no address is kept of the invitation
      And the invitation is cancelled
