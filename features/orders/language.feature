Feature: The language of an invitation
  Invitations are written in Dutch or in English.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §2 (Order report)
  Rule: The report chooses the language; without a choice it is the shop's, which is Dutch unless set otherwise

    Scenario: Nobody chose
      When bakkerij reports order 1001 of anna@example.com
      Then its invitation is in Dutch

    Scenario: The shop chose
      Given bakkerij writes to its customers in English
      When bakkerij reports order 1001 of anna@example.com
      Then its invitation is in English

    Scenario: The report chose
      When bakkerij reports order 1001 of anna@example.com in English
      Then its invitation is in English

    Scenario: The report goes before the shop
      Given bakkerij writes to its customers in English
      When bakkerij reports order 1001 of anna@example.com in Dutch
      Then its invitation is in Dutch

  # Spec: §2 (Order report), §7
  Rule: No other language is known

    Scenario Outline: <code> is refused
      When bakkerij reports order 1001 of anna@example.com in language <code>
      Then the report is refused, because the language is not known
      And bakkerij has no invitations

      Examples:
        | code    |
        | de      |
        | NL      |
        | en-GB   |
        | English |
        | ""      |
