Feature: A customer's address is forgotten
  On request at once, otherwise when its time is over. What keeps the customer from being mailed twice stays, as a hash.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §1 (What a shop sends, and what is kept)
  Rule: On request an address is erased at once

    Scenario: Before the invitation leaves
      When the operator erases anna@example.com
      Then no address is kept of the invitation
      And the invitation is cancelled
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got no e-mail

    Scenario: After it has left
      When it is 2026-03-06 12:00
      And the worker runs
      And the operator erases anna@example.com
      Then no address is kept of the invitation
      And the invitation is sent

    Scenario: At the last moment
      When it is 2026-03-06 12:00
      And the worker runs, and the operator erases anna@example.com at the last moment
      Then anna@example.com has got no e-mail
      And the invitation is cancelled

    Scenario: At every shop
      Given the shop boekhandel with an API key
      And boekhandel has reported order 7 of Anna@Example.com
      When the operator erases anna@example.com
      Then no address is kept of the invitation
      And nothing is kept that anna@example.com could be written to with

    Scenario: Others stay
      Given bakkerij has reported order 1002 of bob@example.com
      When the operator erases anna@example.com
      And it is 2026-03-06 12:00
      And the worker runs
      Then bob@example.com has got 1 e-mail

  # Spec: §1 (What a shop sends, and what is kept)
  Rule: Without being asked it is erased 90 days after the invitation was due

    Scenario: After 90 days it is still there
      When it is 2026-03-06 12:00
      And the worker runs
      And it is 2026-06-04 12:00
      And the operator purges
      Then an address is kept of the invitation

    Scenario: A moment later it is not
      When it is 2026-03-06 12:00
      And the worker runs
      And it is 2026-06-04 12:00:00.001
      And the operator purges
      Then no address is kept of the invitation
      And the invitation is sent

  # Spec: §1 (What a shop sends, and what is kept), §2 (The same order)
  Rule: What protects the customer outlives the address

    Scenario: A late repeat is still no new order
      When the operator erases anna@example.com
      And 300 days pass
      And bakkerij reports it again
      Then it is the same order
      When the worker runs
      Then anna@example.com has got no e-mail

    Scenario: An opt-out still stands
      When anna@example.com opts out of bakkerij
      And the operator erases anna@example.com
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is suppressed

    Scenario: A later order is forgotten as well when that is asked again
      When the operator erases anna@example.com
      And bakkerij reports order 1002 of anna@example.com
      Then an address is kept of the invitation
      When the operator erases anna@example.com
      Then no address is kept of the invitation

  # Spec: §6 (Suppression)
  Rule: Of who opted out no address is kept in the first place

    Scenario: The next order
      When anna@example.com opts out of bakkerij
      And bakkerij reports order 1002 of anna@example.com
      Then no address is kept of the invitation
