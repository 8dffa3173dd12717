Feature: What was changed, and by whom
  Every change of a shop is recorded with it, whoever makes it.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com
    And eva@example.com is an owner of bakkerij, and signed in

  # Spec: §10.7
  Rule: An entry says who, when and what

    Scenario: A member
      When it is 2026-03-01 12:05
      And eva@example.com sets the delay of bakkerij to 3 days
      Then the latest activity of bakkerij is shop.settings_changed by eva@example.com at 2026-03-01 12:05

    Scenario: A program with an API key
      When it is 2026-03-01 12:05
      And bakkerij withdraws that invitation
      Then the latest activity of bakkerij is invitation.cancelled by its first key at 2026-03-01 12:05

    Scenario: The operator
      When it is 2026-03-01 12:05
      And the operator deactivates bakkerij
      Then the latest activity of bakkerij is shop.deactivated by the operator at 2026-03-01 12:05

    Scenario: What changes nothing leaves no entry
      When eva@example.com sets the delay of bakkerij to 3 days
      And eva@example.com sets the delay of bakkerij to 3 days
      Then bakkerij has one entry of shop.settings_changed

  # Spec: §10.7, §10.5
  Rule: It names no customer

    Scenario: A customer's address
      When eva@example.com cancels the invitation of bakkerij
      Then no activity of bakkerij names anna@example.com
