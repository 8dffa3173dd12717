@cli
Feature: Privacy on the command line
  The operator answers "what do you hold about me" and "forget me".

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`
    And the operator has run `reviewinvite order report bakkerij anna@example.com`

  # Spec: §1 (Managing the service; What a shop sends, and what is kept)
  Rule: What is stored about an address can be exported and erased

    Scenario: Forget me
      When the operator runs `reviewinvite privacy erase anna@example.com --yes`
      Then it prints `Addresses erased: 1, invitations cancelled: 1`
      When the operator runs `reviewinvite privacy purge`
      Then the command succeeds
      And no file of the database holds "anna@example.com"

    Scenario: What is shown never holds an address
      When the operator runs `reviewinvite privacy export anna@example.com`
      Then it does not print "example.com"
      When the operator runs `reviewinvite invitation list --json`
      Then it does not print "example.com"

    Scenario: A database that is not there is not taken for one that holds nothing
      When the operator runs `reviewinvite --database-url sqlite:///elsewhere.db privacy export anna@example.com`
      Then it ends with 3 and says "There is no database elsewhere.db"
      When the operator runs `reviewinvite --database-url sqlite:///elsewhere.db db check`
      Then it ends with 3 and says "There is no database elsewhere.db"
