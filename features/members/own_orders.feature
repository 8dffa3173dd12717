Feature: Members do not review their own shop
  Whoever sees the reviews and answers them is no customer of the shop, as far as its score is concerned.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And eva@example.com is an owner of bakkerij, and signed in
    And eva@example.com has opened the dashboard of bakkerij

  # Spec: §10.1, §1
  Rule: An order for a member's own address leads to no invitation

    Scenario: The shop reports it
      When bakkerij reports order 1001 of Eva@example.com
      Then it is a new order
      And the invitation is suppressed as a member's own

    Scenario Outline: With a tag, or without
      Given tagged+eva@example.com is staff of bakkerij, and signed in
      And tagged+eva@example.com has opened the dashboard of bakkerij
      When bakkerij reports order 1001 of <address>
      Then the invitation is suppressed as a member's own

      Examples:
        | address                 |
        | eva+1@example.com       |
        | tagged@example.com      |
        | tagged+more@example.com |

    Scenario: Another shop's customer
      Given the shop kapper with an API key
      When kapper reports order 1001 of eva@example.com
      Then the invitation is scheduled

  # Spec: §10.1
  Rule: Nobody is kept from reviewing by being made a member unawares

    Scenario: The dashboard was never opened
      Given the operator has made anna@example.com staff of bakkerij
      When bakkerij reports order 1001 of anna@example.com
      Then the invitation is scheduled

    Scenario: Added again, and not opened since
      Given ben@example.com is staff of bakkerij, and signed in
      And ben@example.com has opened the dashboard of bakkerij
      When the operator removes ben@example.com from bakkerij
      And the operator invites ben@example.com to bakkerij
      And bakkerij reports order 1001 of ben@example.com
      Then the invitation is scheduled
