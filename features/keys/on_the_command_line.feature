@cli
Feature: API keys on the command line

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`

  # Spec: §2 (API key), §5
  Rule: The command shows a key once

    Scenario: A key is made, and listed
      When the operator runs `reviewinvite key create bakkerij --label webshop`
      Then it prints a key
      When the operator runs `reviewinvite key list bakkerij`
      Then it prints the last four characters of that key, and no more of it

    Scenario: There is no key without a shop
      When the operator runs `reviewinvite key create boekhandel`
      Then it ends with 1 and says "No shop "boekhandel". List shops: reviewinvite shop list"
