@cli
Feature: Changing the secret
  The secret seals a ring of random keys. When somebody leaves who knows it, the operator seals the same ring under
  another one, and nothing that the ring protects is lost.

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`
    And the operator has run `reviewinvite order report bakkerij anna@example.com --order-number 7`

  # Spec: §5
  Rule: All that the key ring protects stands

    Scenario: A repeat is recognised after the change
      When the operator runs `reviewinvite secret rotate --yes`
      Then the command succeeds
      When the operator runs `reviewinvite order report bakkerij ANNA@example.com --order-number 7`
      Then the command succeeds
      When the operator runs `reviewinvite invitation list --json`
      Then it lists 1 invitation

    Scenario: An address that was reported before the change is still written to
      Given the operator has run `reviewinvite secret rotate --yes`
      When the operator runs `reviewinvite invitation send-now` on the invitation
      And the operator runs `reviewinvite worker --once`
      Then the outbox holds 1 e-mail

  # Spec: §5
  Rule: Only the new secret opens the database, and no secret is ever shown

    Scenario: The old secret opens it no more
      Given a copy of the secret
      When the operator runs `reviewinvite secret rotate --yes`
      Then the command shows no secret
      When the operator runs `reviewinvite shop list` with the copied secret
      Then it ends with 3 and says "Wrong secret for this database"

    Scenario: A secret of the operator's own
      Given a file new-secret with the lines
        """
        a secret of the operator's own
        """
      When the operator runs `reviewinvite secret rotate --new-secret-file new-secret --yes`
      Then the command shows no secret
      When the operator runs `reviewinvite shop list`
      Then it ends with 3 and says "Wrong secret for this database"

    Scenario: A secret that is too short
      Given a file new-secret with the lines
        """
        too short
        """
      When the operator runs `reviewinvite secret rotate --new-secret-file new-secret --yes`
      Then it ends with 3 and says "new-secret must have at least 24 characters"

    Scenario: A secret that is easy to guess
      Given a file new-secret with the lines
        """
        abcabcabcabcabcabcabcabc
        """
      When the operator runs `reviewinvite secret rotate --new-secret-file new-secret --yes`
      Then it ends with 3 and says "new-secret is too easy to guess"
      When the operator runs `reviewinvite shop list`
      Then the command succeeds

  # Spec: §5
  Rule: A backup opens with the secret of its time

    Scenario: A backup of before the change needs the old secret
      Given a copy of the secret
      And the operator has run `reviewinvite db backup before.db`
      And the operator has run `reviewinvite secret rotate --yes`
      When the operator runs `reviewinvite db restore before.db --yes`
      Then it ends with 3 and says "it was backed up under another secret"
      When the operator runs `reviewinvite db restore before.db --yes` with the copied secret
      Then the command succeeds

  # Spec: §5
  Rule: A change that is broken off is finished or undone by the next command

    Scenario: A change that was broken off before it took effect
      Given a change of the secret that was broken off before it took effect
      When the operator runs `reviewinvite shop list`
      Then it prints `bakkerij yes nl 5 Bakkerij`
      And it has said that the change is undone
