Feature: A shop reads its reviews and answers them
  With the key that reports orders a shop sees what its customers wrote, and nobody else's.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And the shop boekhandel with an API key
    And bakkerij has reported order 1001 of anna@example.com
    And the customer of that order has given 2 stars and written "Het brood was oud."

  # Spec: §4.7
  Rule: A shop reads its own reviews in every state

    Scenario: What a customer wrote
      When bakkerij reads its reviews
      Then it reads that order 1001 has 2 stars and the text "Het brood was oud."

    Scenario: Hidden by the operator
      When the operator hides that review
      And bakkerij reads its reviews
      Then it reads that the review of order 1001 is hidden, and no text

    Scenario: Withdrawn by its writer
      When the customer withdraws that review
      And bakkerij reads its reviews
      Then it reads that the review of order 1001 is withdrawn, and no text

    Scenario: Another shop's are not told
      Given boekhandel has reported order 1001 of anna@example.com
      When boekhandel reads its reviews
      Then it reads of no review

  # Spec: §4.8
  Rule: A shop has one reply to a review

    Scenario: A reply, and a better one
      When bakkerij replies "Jammer." to that review
      And bakkerij replies "Kom u een vers brood halen?" to that review
      And bakkerij reads its reviews
      Then it reads its own reply "Kom u een vers brood halen?"

    Scenario: Not to another shop's review
      When boekhandel replies "Bij ons is het vers." to that review
      Then the shop is refused with review_unknown
      When bakkerij reads its reviews
      Then it reads no reply of its own

    Scenario: Not to a hidden one
      When the operator hides that review
      And bakkerij replies "Jammer." to that review
      Then the shop is refused with review_stands
