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

  # Spec: §1 (Managing the service), §3
  Rule: An operator decides about one invitation by its id

    Scenario: It is sent at once
      Given the operator has run `reviewinvite order report bakkerij anna@example.com`
      When the operator runs `reviewinvite invitation send-now` on the invitation
      Then the command succeeds
      When the operator runs `reviewinvite worker --once`
      Then the outbox holds 1 e-mail

    Scenario: It was not rejected, so it is not tried again
      Given the operator has run `reviewinvite order report bakkerij anna@example.com`
      When the operator runs `reviewinvite invitation retry --yes` on the invitation
      Then it prints `Left alone, because only a rejected invitation can be tried again: 1.`

    Scenario: Nothing is in doubt, so nothing is resolved
      Given the operator has run `reviewinvite order report bakkerij anna@example.com`
      When the operator runs `reviewinvite invitation resolve --sent` on the invitation
      Then it ends with 1 and says "There is nothing to resolve: the invitation is scheduled, not uncertain."
