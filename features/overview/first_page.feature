Feature: What a shop's first page says
  A new shop sees what is left to do, and a running one its year in figures. The figures are kept where they change, and
  always equal what counting gives.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §10.5
  Rule: A step is done as soon as it has happened

    Scenario: A key is all there is
      Then the first page of bakkerij has these steps left: order, domain and badge

    Scenario: One step after the other
      Given bakkerij has reported order 1001 of anna@example.com
      And the operator has vouched for bakkerij's host bakkerij.example.nl
      Then the first page of bakkerij has these steps left: badge
      When a visitor of https://bakkerij.example.nl/ looks at bakkerij's badge
      Then the first page of bakkerij has no steps left

    Scenario: A badge that is looked at outside the shop's pages has not been seen there
      Given bakkerij has reported order 1001 of anna@example.com
      And the operator has vouched for bakkerij's host bakkerij.example.nl
      When a visitor looks at bakkerij's badge
      Then the first page of bakkerij has these steps left: badge

  # Spec: §10.5
  Rule: What was sent and written stands in its week

    Scenario: An invitation and its review, a week apart
      Given bakkerij has reported order 1001 of anna@example.com
      And its invitation has been sent
      When it is 2026-03-17 09:00
      And anna@example.com writes a review of 4 stars
      Then the first page of bakkerij has 1 invitation in the week of 2026-03-02 and no reviews
      And the first page of bakkerij has 0 invitations in the week of 2026-03-16 and a mean of 4.00
      And the response rate of bakkerij is 100.0 per cent

  # Spec: §10.5
  Rule: It says what is wrong

    Scenario: A shop that is not active
      When the operator deactivates bakkerij
      Then the first page of bakkerij says that it is inactive

    Scenario: Nothing is wrong
      Then nothing on the first page of bakkerij says that something is wrong
