@http
Feature: What a page gets to read
  The page posts JSON to /v1/orders/snippet. The browser asks first, and lets the page read the answer.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij.nl is a verified host of bakkerij

  # Spec: §4.2 (Preflight)
  Rule: A page of any origin may ask, for a day

    Scenario: The browser asks
      When a browser asks whether a page of any origin may tell of orders
      Then the answer is 204
      And its header Access-Control-Allow-Origin is *
      And its header Access-Control-Allow-Methods is POST
      And its header Access-Control-Allow-Headers is content-type
      And its header Access-Control-Max-Age is 86400

  # Spec: §4.2 (Readable), §7
  Rule: The page can read every answer, also when it is a refusal

    Scenario: What is accepted
      When a page of https://bakkerij.nl sends {"siteId": "bakkerij", "email": "anna@example.com"}
      Then the answer is 202
      And it holds ["ok"], and nothing else
      And its header Access-Control-Allow-Origin is *

    Scenario: A page of another origin
      When a page of https://evil.nl sends {"siteId": "bakkerij", "email": "anna@example.com"}
      Then the answer is 403
      And its code is origin_refused
      And its header Access-Control-Allow-Origin is *

    Scenario Outline: <body> is refused as <code>
      When a page of https://bakkerij.nl sends <body>
      Then the answer is 422
      And its code is <code>
      And it names the field <field>
      And its header Access-Control-Allow-Origin is *
      And bakkerij has no invitations

      Examples:
        | body                                                               | code          | field       |
        | {"email": "anna@example.com"}                                      | field_missing | siteId      |
        | {"siteId": "bakkerij"}                                             | field_missing | email       |
        | {"siteId": "bakkerij", "email": "anna@example.com", "delayDays": 1}   | unknown_field | delayDays |
        | {"siteId": "bakkerij", "email": "anna@example.com", "language": "nl"} | unknown_field | language  |
        | {"siteId": "bakkerij", "email": "anna@example.com", "orderNumber": null} | wrong_type | orderNumber |
