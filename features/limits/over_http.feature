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

  # Spec: §8
  Rule: Each answer to a key says what is left of its limit

    Scenario Outline: <limit> a minute
      Given it is 2026-03-01 12:00:00
      And the operator allows each key <limit> a minute
      And the shop bakkerij with an API key
      And bakkerij has reported 1 order
      When it is 2026-03-01 12:00:15
      And bakkerij posts {"email": "anna@example.com", "orderNumber": "1001"}
      Then the answer is <status>
      And its header RateLimit-Policy is <policy>
      And its header RateLimit is <left>

      Examples:
        | limit     | status | policy              | left                |
        | 1 report  | 429    | "orders";q=1;w=60   | "orders";r=0;t=45   |
        | 3 reports | 201    | "orders";q=3;w=60   | "orders";r=1;t=45   |
