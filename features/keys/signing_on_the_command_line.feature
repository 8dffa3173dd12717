@cli
Feature: Signing keys and trust marks on the command line

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`

  # Spec: §3, §4.5
  Rule: An operator rotates keys and grants marks

    Scenario: A standby that nobody knows yet takes over in an emergency only
      When the operator runs `reviewinvite signing-key rotate`
      Then it ends with 1 and says "when every verifier knows it"
      When the operator runs `reviewinvite signing-key rotate --now`
      Then the command succeeds

    Scenario: A key that there is not
      When the operator runs `reviewinvite signing-key compromised nonsense --yes`
      Then it ends with 1 and says "There is no signing key nonsense"

    Scenario: A mark is granted
      When the operator runs `reviewinvite trustmark revoke bakkerij`
      Then it ends with 1 and says "There is nothing to revoke"
      When the operator runs `reviewinvite trustmark grant bakkerij`
      Then it prints `Trust mark granted`

  # Spec: §1
  Rule: A statement is verified without a database

    Scenario: Anything but a statement is refused in one line
      Given a file statement.json with the lines
        """
        {"statement": {}, "signature": {"keyId": "x", "algorithm": "Ed25519", "value": ""}}
        """
      And a file keys.json with the lines
        """
        {"keys": []}
        """
      When the operator runs `reviewinvite verify statement.json --keys keys.json`
      Then it ends with 1 and says "Not valid: it is not a statement in the service's format."
