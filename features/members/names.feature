Feature: The name of a shop
  With the trust mark the operator vouches for the name, so a new one waits for the operator. So does one that reads as
  the address of somebody else.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij is called "De Molen"
    And eva@example.com is an owner of bakkerij, and signed in

  # Spec: §3 (Trust mark), §10.6
  Rule: With the trust mark, a member's new name waits for the operator

    Scenario: It waits, and is approved
      Given bakkerij's trust mark is granted
      When eva@example.com calls bakkerij "De Gouden Molen"
      And someone verifies bakkerij
      Then the statement calls it "De Molen"
      When the operator approves the name of bakkerij
      And someone verifies bakkerij
      Then the statement calls it "De Gouden Molen"

    Scenario: It is withdrawn
      Given bakkerij's trust mark is granted
      When eva@example.com calls bakkerij "De Gouden Molen"
      And eva@example.com withdraws the new name of bakkerij
      Then the latest activity of bakkerij is name.withdrawn by eva@example.com at 2026-03-01 12:00
      And no name of bakkerij waits for the operator

    Scenario: Without the mark there is nothing to wait for
      When eva@example.com calls bakkerij "De Nieuwe Molen"
      And someone verifies bakkerij
      Then the statement calls it "De Nieuwe Molen"

    Scenario: The operator's own word
      Given bakkerij's trust mark is granted
      When the operator calls bakkerij "De Nieuwe Molen"
      And someone verifies bakkerij
      Then the statement calls it "De Nieuwe Molen"

  # Spec: §3 (Shop)
  Rule: A member's name that reads as a host waits for the operator, unless the shop has verified the host

    Scenario: It is not the shop's, or not yet
      When eva@example.com calls bakkerij "De Molen (molen.example)"
      And someone verifies bakkerij
      Then the statement calls it "De Molen"
      When the operator approves the name of bakkerij
      And someone verifies bakkerij
      Then the statement calls it "De Molen (molen.example)"

    Scenario: It is the shop's
      Given the operator has vouched for bakkerij's host molen.example
      When eva@example.com calls bakkerij "De Molen (www.molen.example)"
      And someone verifies bakkerij
      Then the statement calls it "De Molen (www.molen.example)"

    Scenario: The operator gives it
      When the operator calls bakkerij "Molen.example"
      And someone verifies bakkerij
      Then the statement calls it "Molen.example"
