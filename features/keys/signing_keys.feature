Feature: Signing keys
  What the service says of shops is signed, and its public keys are published. Keys come and go without anyone who
  verifies being left with a key that they do not know.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §4.5, §3 (Signing key)
  Rule: One key signs, and a standby is published beside it

    Scenario: The first request creates them
      When a verifier fetches the public keys
      Then there are 2 public keys
      And one key signs and one stands by

    Scenario: They stay the same
      When a verifier fetches the public keys
      And 30 days pass
      Then the public keys are those that the verifier has

    @lasting
    Scenario: They outlive the process
      Given a verifier has fetched the public keys
      When the service is stopped and started again
      Then the public keys are those that the verifier has

  # Spec: §4.5
  Rule: The standby signs once it has been published for 24 hours

    Scenario: Before, it is refused
      Given a verifier has fetched the public keys
      When it is 2026-03-02 11:59:59
      And the operator rotates the signing keys
      Then that is refused until 2026-03-02 12:00

    Scenario: A verifier knows the new key before it signs
      Given a verifier has fetched the public keys
      When it is 2026-03-02 12:00
      And the operator rotates the signing keys
      And someone verifies bakkerij
      Then the verifier believes it with the keys that it has
      And one key signs and one stands by

    Scenario: In an emergency it signs at once
      Given a verifier has fetched the public keys
      When the operator rotates the signing keys in an emergency
      And someone verifies bakkerij
      Then the verifier believes it with the keys that it has

  # Spec: §4.5
  Rule: A retired key is published until the last statement that it signed has expired

    Scenario: What it signed stays good for as long as it holds
      Given a verifier has fetched the public keys
      When it is 2026-03-02 12:00
      And someone verifies bakkerij
      And the operator rotates the signing keys
      Then the signature is good
      And there are 3 public keys
      When it is 2026-03-02 12:10:59
      Then there are 3 public keys
      When it is 2026-03-02 12:11
      Then there are 2 public keys

  # Spec: §4.5
  Rule: A compromised key is withdrawn at once

    Scenario: A verifier that fetches the keys again no longer trusts it
      Given a verifier has fetched the public keys
      When someone verifies bakkerij
      And the operator says that the key that signs is compromised
      Then the verifier believes it with the keys that it has
      When a verifier fetches the public keys
      Then the verifier does not know its key

    Scenario: The standby signs, and every verifier knows it
      Given a verifier has fetched the public keys
      When the operator says that the key that signs is compromised
      And someone verifies bakkerij
      Then the verifier believes it with the keys that it has
      And one key signs and one stands by

    Scenario: A standby can be compromised, too
      Given a verifier has fetched the public keys
      When the operator says that the standby is compromised
      And someone verifies bakkerij
      Then the verifier believes it with the keys that it has
      And one key signs and one stands by

    @file
    Scenario: A backup does not bring it back
      Given a verifier has fetched the public keys
      When someone verifies bakkerij
      And the operator backs up the database
      And the operator says that the key that signs is compromised
      And the operator restores the backup
      And a verifier fetches the public keys
      Then the verifier does not know its key
      And one key signs and one stands by

  # Spec: §5
  Rule: The private halves are sealed

    @file
    Scenario: Who reads the disk does not find them
      Given a verifier has fetched the public keys
      When the operator backs up the database
      Then no file of the service holds a private key
