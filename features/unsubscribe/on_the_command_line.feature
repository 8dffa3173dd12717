@cli
Feature: Suppressions on the command line
  The operator sees who is not to be written to by a part of the address's hash, never by the address.

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`

  # Spec: §1 (Managing the service), §6 (Suppression)
  Rule: An address is suppressed at all shops, or at one

    Scenario: What waits is suppressed
      Given the operator has run `reviewinvite order report bakkerij anna@example.com`
      And the operator has run `reviewinvite suppression add anna@example.com`
      When the operator runs `reviewinvite invitation list --state suppressed --json`
      Then it lists 1 invitation

    Scenario: At one shop
      Given the operator has run `reviewinvite suppression add anna@example.com --site bakkerij`
      When the operator runs `reviewinvite suppression remove anna@example.com`
      Then it ends with 1 and says "That address is not suppressed. It is suppressed elsewhere"
      When the operator runs `reviewinvite suppression remove anna@example.com --site bakkerij`
      Then the command succeeds
