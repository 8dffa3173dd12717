@http
Feature: Request ids
  Whoever asks for help quotes one id, and the operator finds what happened.

  Background:
    Given the shop bakkerij with an API key

  # Spec: §7
  Rule: Every answer has an id, and a client may choose it

    Scenario: A refused order
      When someone sends an order without a key
      Then the answer is 401
      And its request id is in the header X-Request-Id and in the body

    Scenario: An order with an id of the shop's own
      When bakkerij sends an order with the header "X-Request-Id: order-1001.a"
      Then the answer is 201
      And its request id is order-1001.a

    Scenario: An id that could not stand in a log
      When bakkerij sends an order with the header "X-Request-Id: anna@example.com"
      Then the answer is 201
      And its request id is one of ours
