@http
Feature: API keys over HTTP
  The key stands in the header Authorization, after the word Bearer.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §5, §7
  Rule: Without a good key the answer is 401, and says what is wanted

    Scenario: No key
      When someone sends an order without a key
      Then the answer is 401
      And its code is key_missing
      And its header WWW-Authenticate is Bearer
      And it says "De API-sleutel ontbreekt."

    Scenario Outline: <value> is no key
      When someone sends an order with the header "Authorization: <value>"
      Then the answer is 401
      And its code is <code>
      And its header WWW-Authenticate is Bearer

      Examples:
        | value                  | code        |
        | Bearer                 | key_missing |
        | Basic YW5uYTpnZWhlaW0= | key_missing |
        | Bearer password        | key_invalid |

    Scenario: A revoked key is answered as an unknown one
      When the operator revokes bakkerij's first key
      And bakkerij posts {"email": "anna@example.com", "orderNumber": "1001"}
      Then the answer is 401
      And its code is key_invalid
      And its header WWW-Authenticate is Bearer
      And it says "De API-sleutel is ongeldig of ingetrokken."
