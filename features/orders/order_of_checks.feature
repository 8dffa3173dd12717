Feature: The order of the checks
  A report can be wrong in more than one way. The first check that fails gives the answer.

  Background:
    Given it is 2026-03-01 12:00
    And the operator allows each key 1 report a minute
    And the shop bakkerij with an API key

  # Spec: §4.1
  Rule: First the key, then the shop, then the limit, then the order itself

    Scenario: A revoked key of an inactive shop
      Given bakkerij is not active
      When the operator revokes bakkerij's first key
      And bakkerij reports order 1001 of anna
      Then the report is refused, because the key is not valid

    Scenario: An inactive shop whose limit is reached
      Given bakkerij has reported 1 order
      And bakkerij is not active
      When bakkerij reports order 1001 of anna
      Then the report is refused, because the shop is not active

    Scenario: A bad address when the limit is reached
      Given bakkerij has reported 1 order
      When bakkerij reports order 1001 of anna
      Then the report is refused, because the limit is reached

    Scenario: A bad address, and nothing else is wrong
      When bakkerij reports order 1001 of anna
      Then the report is refused, because the e-mail address is not valid

  # Spec: §4.1
  Rule: What is refused for the order itself takes from the limit; what is refused before does not

    Scenario: A bad address takes from the limit
      When bakkerij reports order 1001 of anna
      And bakkerij reports order 1001 of anna@example.com
      Then the report is refused, because the limit is reached

    Scenario: A report of an inactive shop does not
      Given bakkerij is not active
      When bakkerij reports order 1001 of anna@example.com
      And the operator activates bakkerij again
      And bakkerij reports order 1001 of anna@example.com
      Then it is a new order
