@cli
Feature: Members on the command line
  The operator gives a shop its first owner; from then on the shop needs no command.

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`

  # Spec: §1 (Managing the service), §10.1
  Rule: The operator adds a member, who gets a link

    Scenario: The first owner
      When the operator runs `reviewinvite member add bakkerij eva@example.com --role owner`
      Then it prints a sign-in link

    Scenario: Twice
      Given the operator has run `reviewinvite member add bakkerij eva@example.com`
      When the operator runs `reviewinvite member add bakkerij eva@example.com`
      Then it ends with 1 and says "This person is a member of the shop already."

  # Spec: §1 (Managing the service), §10.1
  Rule: Removing a member is confirmed, and never leaves a shop without an owner

    Scenario: The last owner
      Given the operator has run `reviewinvite member add bakkerij eva@example.com --role owner`
      When the operator runs `reviewinvite member remove bakkerij eva@example.com --yes`
      Then it ends with 1 and says "This is the shop's last owner."

    Scenario: Without a terminal, nobody is asked
      Given the operator has run `reviewinvite member add bakkerij eva@example.com`
      And the operator has run `reviewinvite member add bakkerij tom@example.com`
      When the operator runs `reviewinvite member remove bakkerij tom@example.com`
      Then it ends with 2 and says "cannot ask for confirmation without a terminal: add --yes."

    Scenario: A colleague who has left
      Given the operator has run `reviewinvite member add bakkerij eva@example.com`
      And the operator has run `reviewinvite member add bakkerij tom@example.com`
      When the operator runs `reviewinvite member remove bakkerij tom@example.com --yes`
      Then the command succeeds

  # Spec: §1 (Managing the service), §3 (Trust mark)
  Rule: A new name is approved by the operator

    Scenario: No name waits
      When the operator runs `reviewinvite shop approve bakkerij`
      Then it ends with 1 and says "No name waits for approval."
