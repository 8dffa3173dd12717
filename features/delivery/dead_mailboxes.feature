Feature: Addresses without a mailbox
  A mail server that knows no such mailbox is believed for 180 days. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §6 (Suppression)
  Rule: An address without a mailbox is not written to for 180 days

    Scenario: The next order
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server knows no mailbox of anna@example.com
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is suppressed
      And no address is kept of the invitation

    Scenario: After 180 days
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server knows no mailbox of anna@example.com
      And 180 days pass
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is scheduled

  # Spec: §6 (Suppression)
  Rule: An operator ends it

    Scenario: The mail server was wrong
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server knows no mailbox of anna@example.com
      And the operator takes the suppression of anna@example.com back
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is scheduled

  # Spec: §6 (Suppression)
  Rule: A refusal of another kind suppresses nothing

    Scenario: A plain 550
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server refuses the recipient
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is scheduled
