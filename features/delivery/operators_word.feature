Feature: An operator's word
  An operator can have an invitation sent before its time, and settles what is in doubt. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §3
  Rule: A scheduled invitation can be sent at once

    Scenario: Before its time
      When the operator has the invitation sent at once
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And the invitation is sent

    Scenario: The shop gets the same answer as before
      When the operator has the invitation sent at once
      And bakkerij reports it again
      Then it is the same order
      And its invitation is scheduled for 2026-03-06 12:00

    Scenario: It is said twice
      When the operator has the invitation sent at once
      And the operator has the invitation sent at once
      And the worker runs
      And 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: Its shop is inactive
      When the operator deactivates bakkerij
      And the operator has the invitation sent at once
      And the worker runs
      Then anna@example.com has got no e-mail
      When the operator activates bakkerij again
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: Once it has left it is too late
      When it is 2026-03-06 12:00
      And the worker runs
      Then it is too late to send the invitation at once

  # Spec: §3, §6 (Never twice)
  Rule: What is in doubt is never sent again by itself

    Scenario: The answer of the mail server is lost
      When it is 2026-03-06 12:00
      And the worker runs, and the answer of the mail server is lost
      Then the invitation is uncertain
      When 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And the invitation is uncertain

  # Spec: §3
  Rule: An operator settles what is in doubt

    Scenario: It has arrived
      When it is 2026-03-06 12:00
      And the worker runs, and the answer of the mail server is lost
      And the operator says that the invitation has arrived
      Then the invitation is sent
      When 30 days pass
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: It is sent once more, and may arrive twice
      When it is 2026-03-06 12:00
      And the worker runs, and the answer of the mail server is lost
      And the operator has the invitation sent once more
      And the worker runs
      Then anna@example.com has got 2 e-mails
      And the invitation is sent

    Scenario: A review shows that it has arrived, so it is not sent once more
      When it is 2026-03-06 12:00
      And the worker runs, and the answer of the mail server is lost
      And the operator has the invitation sent once more
      And anna@example.com writes a review of 5 stars
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And the invitation is sent

    Scenario: Nothing else can be settled
      Then nothing about the invitation is in doubt
      When it is 2026-03-06 12:00
      And the worker runs
      Then nothing about the invitation is in doubt
      And anna@example.com has got 1 e-mail

  # Spec: §3
  Rule: What was rejected is tried again only at an operator's word, and only if it certainly never left

    Scenario: The mailbox has room again
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server says that the mailbox is full
      And 30 days pass
      And the worker runs
      Then the invitation is rejected
      When the operator has the invitation tried again
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And the invitation is sent
      And the invitation is not tried again, since it is not rejected

    Scenario: There is no such mailbox
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server knows no mailbox of anna@example.com
      And the operator takes the suppression of anna@example.com back
      Then the invitation is not tried again, since there is no such mailbox

    Scenario: The customer has opted out since
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server says that the mailbox is full
      And the operator suppresses anna@example.com
      Then the invitation is not tried again, since the customer has opted out

    Scenario: The address was erased since
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server says that the mailbox is full
      And the operator erases anna@example.com
      Then the invitation is not tried again, since the address is erased

    Scenario: It is tried again, and the customer opts out before it leaves
      When it is 2026-03-06 12:00
      And the worker runs, and the mail server says that the mailbox is full
      And the operator has the invitation tried again
      And the operator suppresses anna@example.com
      And the worker runs
      Then anna@example.com has got no e-mail
      And the invitation is suppressed
