@cli
Feature: Domains on the command line
  The operator sees what the shop has to publish, and what a check found.

  Background:
    Given the operator has run `reviewinvite shop add bakkerij --name Bakkerij`

  # Spec: §1 (Managing the service), §3
  Rule: What to publish is shown for both ways

    Scenario: A record in the DNS, or a file
      When the operator runs `reviewinvite domain add bakkerij Shop.Example.NL`
      Then it prints `TXT record _reviewinvite.shop.example.nl`
      And it prints `or the file https://shop.example.nl/.well-known/reviewinvite.txt`

    Scenario: A host with www. covers nothing else
      When the operator runs `reviewinvite domain add bakkerij www.example.nl`
      Then it adds "covers only pages at https://www.example.nl, not at https://example.nl"
      And it adds "reviewinvite domain add bakkerij example.nl"

    Scenario: A host that may not be added is not offered
      When the operator runs `reviewinvite domain add bakkerij www.co.uk`
      Then it adds "covers only pages at https://www.co.uk, not at https://co.uk"
      And it does not add "reviewinvite domain add bakkerij co.uk"

    Scenario: A host without it covers both
      When the operator runs `reviewinvite domain add bakkerij example.nl`
      Then it adds "covers pages at https://example.nl and https://www.example.nl"

    Scenario: The operator vouches
      Given the operator has run `reviewinvite domain add bakkerij shop.example.nl --assume-verified`
      When the operator runs `reviewinvite domain check bakkerij shop.example.nl`
      Then the command succeeds
      And it prints `Standing vouched`

  # Spec: §1 (Managing the service), §3
  Rule: A host that cannot be, or that another shop has, is refused

    Scenario: A public suffix
      When the operator runs `reviewinvite domain add bakkerij myshopify.com`
      Then it ends with 2 and says "is a public suffix"

    Scenario: Another shop has it until it lets it go
      Given the operator has run `reviewinvite shop add kaas --name Kaas`
      And the operator has run `reviewinvite domain add kaas shop.example.nl --assume-verified`
      When the operator runs `reviewinvite domain add bakkerij shop.example.nl --assume-verified`
      Then it ends with 1 and says "must remove it first"
      Given the operator has run `reviewinvite domain remove kaas shop.example.nl --yes`
      When the operator runs `reviewinvite domain add bakkerij shop.example.nl --assume-verified`
      Then the command succeeds
