Feature: API keys
  An API key lets a shop's server report orders. It is a secret: it belongs on a server, never in a page.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §2 (API key), §5
  Rule: A key is made once, shown once, and stored as a hash only

    Scenario: What a key looks like
      Then bakkerij's key is rvi_ and 36 letters and digits

    Scenario: Later only its last four characters are shown
      Given bakkerij has a second API key
      Then no two keys of bakkerij are the same
      And the list of bakkerij's keys shows of each its last four characters, and no more

    @file
    Scenario: Who reads the disk does not find it
      Given bakkerij has reported order 1001 of anna@example.com
      Then no file of the service holds bakkerij's key

  # Spec: §5
  Rule: Who shows no good key is refused

    Scenario: A key of another kind
      When someone reports an order with the key "password"
      Then the report is refused, because the key is not valid

    Scenario: A key that was never made
      When someone reports an order with a key that looks right but was never made
      Then the report is refused, because the key is not valid

    Scenario: A key that was mistyped
      When someone reports an order with bakkerij's key, mistyped in one character
      Then the report is refused, because the key is not valid

    Scenario: A key that was cut off
      When someone reports an order with bakkerij's key, without its last character
      Then the report is refused, because the key is not valid
      And bakkerij has no invitations

  # Spec: §5
  Rule: A key reports for its own shop only

    Scenario: Two shops
      Given the shop boekhandel with an API key
      When boekhandel reports an order with its first key
      Then its invitation belongs to boekhandel
      And bakkerij has no invitations

  # Spec: §5
  Rule: A revoked key is refused from the next request on

    Scenario: The next report
      When bakkerij reports an order with its first key
      Then it is a new order
      When the operator revokes bakkerij's first key
      And bakkerij reports an order with its first key
      Then the report is refused, because the key is not valid
      And bakkerij has 1 invitation

    Scenario: A repeat of what the key reported before is refused too
      Given bakkerij has reported order 1001 of anna@example.com
      When the operator revokes bakkerij's first key
      And bakkerij reports it again
      Then the report is refused, because the key is not valid

    Scenario: The shop's other key goes on
      Given bakkerij has a second API key
      When the operator revokes bakkerij's first key
      And bakkerij reports an order with its second key
      Then it is a new order

    @http
    Scenario: A revocation counts on every process
      When bakkerij reports an order with its first key
      Then it is a new order
      When the operator revokes bakkerij's key with the command, in another process
      And bakkerij reports an order with its first key
      Then the report is refused, because the key is not valid

  # Spec: §2 (API key)
  Rule: Who loses a key makes a new one and revokes the old one

    Scenario: A lost key is replaced, and orders stay known
      Given bakkerij has reported order 1001 of anna@example.com with its first key
      When the operator makes bakkerij another API key
      And the operator revokes bakkerij's first key
      And bakkerij reports order 1001 of anna@example.com with its second key
      Then it is the same order
