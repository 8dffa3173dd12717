@cli
Feature: Sending on the command line
  The command `worker` sends what is due; with --once it ends when there is nothing more.

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`

  # Spec: §1 (Managing the service), §6
  Rule: The worker sends what is due, and nothing else

    Scenario: One is due, one is not
      Given the operator has run `reviewinvite order report bakkerij anna@example.com --delay-days 0`
      And the operator has run `reviewinvite order report bakkerij bob@example.com`
      And the operator has run `reviewinvite worker --once`
      When the operator runs `reviewinvite invitation list --state sent --json`
      Then it lists 1 invitation
      And the outbox holds 1 e-mail
