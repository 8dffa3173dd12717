@file
Feature: A copy of the database that is older than what was sent
  What left after the copy was made is still to be sent in it. It is noticed, and nothing leaves twice. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §6 (A restored or copied database)
  Rule: Nothing is sent until an operator has reconciled, and nothing twice after that

    Scenario: A backup is restored
      When it is 2026-03-06 12:00
      And the operator backs up the database
      And the worker runs
      And the operator restores the backup
      Then the worker sends nothing, since sending is paused
      When the operator reconciles
      And 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And the invitation is uncertain

    Scenario: What was sent before its time is not sent again at its time
      When the operator backs up the database
      And the operator has the invitation sent at once
      And the worker runs
      And the operator restores the backup
      And the operator reconciles
      And 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: What was tried again since is not sent again
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server says that the mailbox is full
      And the operator backs up the database
      And the operator has the invitation tried again
      And the worker runs
      And the operator restores the backup
      Then the invitation is rejected
      And nothing can be tried again, since sending is paused
      When the operator reconciles
      Then the invitation is uncertain
      And the invitation is not tried again, since it is not rejected
      When 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: What was rejected before a restore is not tried again
      Given bakkerij has reported order 1002 of bob@example.com with a delay of 0 days
      When the worker runs, and the mail server says that the mailbox is full
      And the operator backs up the database
      And it is 2026-03-06 12:00
      And the worker runs
      And the operator restores the backup
      And the operator reconciles
      Then the invitation is not tried again, since it may have been sent from a later copy

    Scenario: The hand-over mark is lost
      When it is 2026-03-06 12:00
      And the worker runs
      And the hand-over mark is lost
      Then the worker sends nothing, since sending is paused

    Scenario: Orders are taken meanwhile, and their invitations leave in time
      When it is 2026-03-06 12:00
      And the operator backs up the database
      And the worker runs
      And the operator restores the backup
      And bakkerij reports order 1002 of bob@example.com
      Then the worker sends nothing, since sending is paused
      When the operator reconciles
      And 5 days pass
      And the worker runs
      Then bob@example.com has got 1 e-mail
      And anna@example.com has got 1 e-mail

    Scenario: Nothing was sent since
      When the operator backs up the database
      And the operator restores the backup
      And it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And the invitation is sent

    Scenario: The way back to the last release is kept open, until the upgrade is finished
      Given bakkerij has reported order 1002 of bob@example.com
      When the operator has the invitation sent at once
      And the worker runs
      And the operator prepares the way back to the last release
      And the operator backs up the database
      And it is 2026-03-06 12:00
      And the worker runs
      And the operator restores the backup
      Then the last release can read the hand-over mark
      And the worker sends nothing, since sending is paused
      When the operator finishes the upgrade
      Then the last release cannot read the hand-over mark
      When the operator reconciles
      And 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And bob@example.com has got 1 e-mail

  # Spec: §6 (A restored or copied database)
  Rule: Only what may have left since the backup is in doubt

    Scenario: An order that was sent before its time, before the backup
      Given bakkerij has reported order 1002 of bob@example.com
      When the operator has the invitation sent at once
      And the worker runs
      And the operator backs up the database
      And bakkerij reports order 1003 of cleo@example.com
      And the operator has the invitation sent at once
      And the worker runs
      And the operator restores the backup
      And the operator reconciles
      And it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And bob@example.com has got 1 e-mail

    Scenario: An order that was sent before its time, after the backup
      Given bakkerij has reported order 1002 of bob@example.com
      When the operator backs up the database
      And the operator has the invitation sent at once
      And the worker runs
      And the operator restores the backup
      And the operator reconciles
      Then the invitation is uncertain
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And bob@example.com has got 1 e-mail
