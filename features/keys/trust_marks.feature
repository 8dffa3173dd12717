Feature: Trust marks
  An operator vouches for a shop, and can take that back. What was said of the shop changes at once.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij's trust mark is granted

  # Spec: §3 (Trust mark)
  Rule: A mark is granted and revoked by an operator, at once

    Scenario: Revoked, it is said to be, in the same minute
      When someone verifies bakkerij
      Then bakkerij is trusted
      When the operator revokes bakkerij's trust mark
      And someone verifies bakkerij
      Then bakkerij is revoked
      And the signature is good

    Scenario: A revoked mark can be granted again
      When the operator revokes bakkerij's trust mark
      And bakkerij is granted the trust mark
      And someone verifies bakkerij
      Then bakkerij is trusted

    Scenario: What was never granted cannot be revoked
      Given the shop boekhandel with an API key
      Then boekhandel's trust mark cannot be revoked

    @file
    Scenario: A backup does not bring a revoked mark back
      When the operator backs up the database
      And the operator revokes bakkerij's trust mark
      And the operator restores the backup
      And someone verifies bakkerij
      Then bakkerij is revoked
