Feature: How much browsers may report
  Anybody who is no browser can say that he is a page of the shop. So there are limits: for an address on the
  Internet, for a shop, for what one address may take of a shop's day, and for the customer who is written to.

  Background:
    Given it is 2026-03-01 12:00:00

  # Spec: §8, §4.2
  Rule: An address on the Internet reports 30 orders in any 60 seconds

    Scenario: The 31st is refused, and told how long to wait
      Given the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij
      When a browser tells bakkerij of 31 orders
      Then 30 of them are acknowledged, and 1 is refused
      And the report is refused, and may be tried again in 60 seconds
      And bakkerij has 30 invitations

    Scenario: Browsers at other addresses are not held up by it
      Given the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij
      And a browser has told bakkerij of 30 orders
      When 31 browsers tell bakkerij of an order each
      Then 30 of them are acknowledged, and 1 is refused

    Scenario: What is wrong, or comes from elsewhere, takes from it too
      Given the operator allows each browser's address 2 reports a minute
      And the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij
      When a page of https://evil.nl tells of order 1001 of anna@example.com at bakkerij
      And a page of https://bakkerij.nl tells of order 1001 of anna at bakkerij
      And a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij
      Then the report is refused, because the limit is reached

  # Spec: §8 (Daily tallies), §4.2 (Ceiling of the shop)
  Rule: Browsers can report a limited number of new orders a day to a shop, and none beyond it until midnight

    Background:
      Given the operator allows browsers 2 new orders a day of each shop
      And the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij

    Scenario: New orders and repeats are refused alike
      Given a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij
      And a page of https://bakkerij.nl has told of order 1002 of bob@example.com at bakkerij
      When the page tells of it again
      Then the report is refused, and may be tried again in 43200 seconds
      When a page of https://bakkerij.nl tells of order 1003 of carl@example.com at bakkerij
      Then the report is refused, and may be tried again in 43200 seconds

    Scenario: A repeat takes nothing from it
      Given a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij
      When the page tells of it again
      And the page tells of it again
      And a page of https://bakkerij.nl tells of order 1002 of bob@example.com at bakkerij
      Then all of them are acknowledged
      And bakkerij has 2 invitations

    Scenario: The day begins at midnight, in UTC
      Given 2 browsers have told bakkerij of an order each
      When it is 2026-03-01 23:59:59.999
      And a browser tells bakkerij of 1 order
      Then the report is refused, and may be tried again in 1 second
      When it is 2026-03-02 00:00:00
      And a browser tells bakkerij of 3 orders
      Then 2 of them are acknowledged, and 1 is refused

    Scenario: The shop's server goes on
      Given 2 browsers have told bakkerij of an order each
      When bakkerij reports 5 orders
      Then all of them are accepted

    Scenario: Another shop has a day of its own
      Given the shop boekhandel with an API key
      And boekhandel.nl is a verified host of boekhandel
      And 2 browsers have told bakkerij of an order each
      When 2 browsers tell boekhandel of an order each
      Then all of them are acknowledged

  # Spec: §8 (Fair shares), §4.2
  Rule: One address on the Internet cannot use up a shop's day, and a repeat takes from its share as a new order does

    Background:
      Given the operator allows each browser's address 0 reports a minute
      And the operator allows each browser's address 40 reports a day to each shop
      And the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij

    Scenario: What is above the share is refused until midnight, and other browsers go on
      When a browser tells bakkerij of 41 orders
      Then 40 of them are acknowledged, and 1 is refused
      And the report is refused, and may be tried again in 43200 seconds
      When 31 browsers tell bakkerij of an order each
      Then 30 of them are acknowledged, and 1 is refused

    Scenario: Above the share new orders and repeats are refused alike
      Given a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij
      When the page tells of it 39 times more
      And the page tells of it again
      Then the report is refused, and may be tried again in 43200 seconds
      When a page of https://bakkerij.nl tells of order 1002 of bob@example.com at bakkerij
      Then the report is refused, and may be tried again in 43200 seconds
      And bakkerij has 1 invitation

    Scenario: At midnight, in UTC, there is a new share
      Given a browser has told bakkerij of 40 orders
      When it is 2026-03-02 00:00:00
      And a browser tells bakkerij of 1 order
      Then all of them are acknowledged

  # Spec: §8, §4.2 (Caps of a person)
  Rule: Nobody gets more than 3 invitations of one shop in 24 hours because browsers say so

    Background:
      Given the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij

    Scenario: Many browsers and one victim
      When 50 browsers tell bakkerij of another order of anna@example.com each
      Then all of them are acknowledged
      And bakkerij has 3 invitations

    Scenario: What is over it is forgotten, and the shop's server may bring it
      Given 3 browsers have told bakkerij of another order of anna@example.com each
      And a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij
      When bakkerij reports order 1001 of anna@example.com
      Then bakkerij has 4 invitations

    Scenario: 24 hours later there is room again
      Given 3 browsers have told bakkerij of another order of anna@example.com each
      When it is 2026-03-02 11:59:59.999
      And a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij
      Then bakkerij has 3 invitations
      When it is 2026-03-02 12:00:00
      And the page tells of it again
      Then bakkerij has 4 invitations

    Scenario: A tag makes no other customer
      Given 3 browsers have told bakkerij of another order of anna@example.com each
      When a page of https://bakkerij.nl tells of order 1001 of Anna+1@example.com at bakkerij
      Then bakkerij has 3 invitations

    Scenario: Other customers are not held up by it
      Given 3 browsers have told bakkerij of another order of anna@example.com each
      When a page of https://bakkerij.nl tells of order 1001 of bob@example.com at bakkerij
      Then bakkerij has 4 invitations

  # Spec: §8
  Rule: The operator sets the figures, and 0 switches a limit off

    Scenario: Another figure for a customer
      Given the operator allows browsers 1 invitation a day to each customer
      And the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij
      When 4 browsers tell bakkerij of another order of anna@example.com each
      Then all of them are acknowledged
      And bakkerij has 1 invitation

    Scenario: Another figure for a person at all shops
      Given the operator allows browsers 4 invitations a day to each person at all shops
      And the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij
      And the shop kapper with an API key
      And kapper.nl is a verified host of kapper
      And 3 browsers have told bakkerij of another order of anna@example.com each
      When 3 browsers tell kapper of another order of anna+1@example.com each
      Then all of them are acknowledged
      And bakkerij has 3 invitations
      And kapper has 1 invitation

    Scenario: No limits
      Given the operator has switched the limits of browsers off
      And the shop bakkerij with an API key
      And bakkerij.nl is a verified host of bakkerij
      When a browser tells bakkerij of 40 orders
      Then all of them are acknowledged
      And bakkerij has 40 invitations
