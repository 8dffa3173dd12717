@http
Feature: The limit over HTTP

  # Spec: §7, §8
  Rule: Beyond the limit the answer is 429, with the seconds to wait in Retry-After

    Scenario: One report too many
      Given it is 2026-03-01 12:00:00
      And the operator allows each key 1 report a minute
      And the shop bakkerij with an API key
      And bakkerij has reported 1 order
      When it is 2026-03-01 12:00:15
      And bakkerij posts {"email": "anna@example.com", "orderNumber": "1001"}
      Then the answer is 429
      And its code is limit_reached
      And its header Retry-After is 45
      And it says "Te veel verzoeken. Probeer het later opnieuw."
