@cli
Feature: Reporting an order on the command line
  An operator can report orders for a shop, one by one or from a file. No API key is needed.

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`

  # Spec: §1 (Managing the service), §2 (The same order)
  Rule: The command reports an order as the API does

    Scenario: A repeat is shown as a duplicate
      Given the operator has run `reviewinvite order report bakkerij anna@example.com --order-number 1001`
      When the operator runs `reviewinvite order report bakkerij anna@example.com --order-number 1001`
      Then the command succeeds
      And it prints `Duplicate yes, the order was reported before`

    Scenario: A bad address is wrong usage
      When the operator runs `reviewinvite order report bakkerij anna`
      Then it ends with 2 and says "EMAIL is not a valid e-mail address."

    Scenario: An inactive shop is refused
      Given the operator has run `reviewinvite shop deactivate bakkerij`
      When the operator runs `reviewinvite order report bakkerij anna@example.com`
      Then it ends with 1 and says "The shop is not active"

  # Spec: §1 (One invitation for one order)
  Rule: A file can be imported again without a second invitation

    Scenario: The same file twice
      Given a file orders.csv with the lines
        """
        email,orderNumber
        anna@example.com,1001
        bob@example.com,1002
        """
      And the operator has run `reviewinvite order import bakkerij orders.csv`
      When the operator runs `reviewinvite order import bakkerij orders.csv`
      Then the command succeeds
      And it prints `0 new, 2 duplicate, 0 refused`
