Feature: What a person wrote is forgotten
  Whoever wants to be forgotten takes the review along, or leaves it without a name.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com
    And the customer of that order has given 2 stars and written "Het brood was oud."

  # Spec: §1 (What a shop sends, and what is kept), §3
  Rule: With the address goes the review, unless the operator keeps it without the name

    Scenario: It goes
      When the operator erases anna@example.com
      And bakkerij reads its reviews
      Then it reads that the review of order 1001 is withdrawn, and no text
      And no name stands under that review

    Scenario: It stays without the name
      When the operator forgets anna@example.com, but keeps the reviews
      And bakkerij reads its reviews
      Then it reads that order 1001 has 2 stars and the text "Het brood was oud."
      And no name stands under that review
