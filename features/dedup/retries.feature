Feature: Reporting again is safe
  A shop that got no answer cannot know whether its report arrived. It reports again, without risk.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §1 (One invitation for one order), §7
  Rule: A report whose answer was lost is recognised

    Scenario: The connection breaks before the answer
      When bakkerij reports order 1001 of anna@example.com, and the answer is lost
      And bakkerij reports it again
      Then it was reported before
      And its invitation is scheduled for 2026-03-06 12:00
      And bakkerij has 1 invitation

  # Spec: §7
  Rule: What failed has left nothing behind

    @lasting
    Scenario: The storage was busy
      Given another program holds the database
      When bakkerij reports order 1001 of anna@example.com
      Then the report is refused, because the storage is not available
      When the other program lets go of the database
      And bakkerij reports it again
      Then it is a new order
      And bakkerij has 1 invitation

    Scenario: The report was refused
      When bakkerij reports order 1001 of anna@example.com in language de
      Then the report is refused, because the language is not known
      When bakkerij reports order 1001 of anna@example.com in English
      Then it is a new order
      And bakkerij has 1 invitation
