@http
Feature: Reporting an order over HTTP
  The shop's server posts the report as JSON to /v1/orders, with its API key in the header Authorization.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §4.1
  Rule: A new order is answered with 201, a repeat with 200

    Scenario: The first report
      When bakkerij posts {"email": "anna@example.com", "orderNumber": "1001"}
      Then the answer is 201
      And it holds ["inviteId", "scheduledFor"], and nothing else
      And its header Content-Type is application/json

    Scenario: A repeat
      When bakkerij posts {"email": "anna@example.com", "orderNumber": "1001"}
      And bakkerij posts {"email": "anna@example.com", "orderNumber": "1001"}
      Then the answer is 200
      And it holds ["inviteId", "scheduledFor", "duplicate"], and nothing else

  # Spec: §7
  Rule: The order itself tells a repeat: an Idempotency-Key changes nothing

    Scenario Outline: The same order with <second>
      When bakkerij sends the order 1001 with the header "Idempotency-Key: one"
      And bakkerij sends the order 1001 with the header "Idempotency-Key: <second>"
      Then the answer is 200
      And it holds ["inviteId", "scheduledFor", "duplicate"], and nothing else

      Examples:
        | second  |
        | one     |
        | another |

    Scenario: Another order with the same key
      When bakkerij sends the order 1001 with the header "Idempotency-Key: one"
      And bakkerij sends the order 1002 with the header "Idempotency-Key: one"
      Then the answer is 201

  # Spec: §7
  Rule: A refusal is a Dutch sentence for people, a stable code for programs, and the field at fault

    Scenario Outline: <body> is refused as <code>
      When bakkerij posts <body>
      Then the answer is 422
      And its code is <code>
      And it names the field <field>
      And it names the request
      And it says "<sentence>"
      And bakkerij has no invitations

      Examples:
        | body                                         | code             | field     | sentence                                                                |
        | {}                                           | field_missing    | email     | Het veld 'email' ontbreekt.                                             |
        | {"email": "anna"}                            | invalid_address  | email     | Het veld 'email' is geen geldig e-mailadres.                            |
        | {"email": "anna@example.com", "language": "de"} | unknown_language | language | Het veld 'language' moet 'nl' of 'en' zijn.                          |
        | {"email": "anna@example.com", "delayDays": 61}  | out_of_range  | delayDays | De waarde van het veld 'delayDays' valt buiten het toegestane bereik.   |
        | {"email": "anna@example.com", "city": "Delft"}  | unknown_field | city      | Het veld 'city' is onbekend. Stuur niet meer dan nodig is.              |
        | {"email": "anna@example.com", "email": "bob@example.com"} | duplicate_field | email | Het veld 'email' komt meer dan eens voor.                      |

  # Spec: §7
  Rule: A refusal names everything that is wrong, unknown fields first

    Scenario: Three things are wrong at once
      When bakkerij posts {"delayDays": 61, "city": "Delft", "email": "anna"}
      Then the answer is 422
      And its code is unknown_field
      And it lists these faults, each in Dutch and in English
        | field     | code            |
        | city      | unknown_field   |
        | email     | invalid_address |
        | delayDays | out_of_range    |

  # Spec: §7
  Rule: Every refusal is also a problem of RFC 9457, in English, with an address that explains its code

    Scenario: One thing is wrong
      When bakkerij posts {"email": "anna"}
      Then the answer is 422
      And it lists these faults, each in Dutch and in English
        | field | code            |
        | email | invalid_address |
      And its type leads to an explanation of invalid_address
      And its title is "Invalid address"

  # Spec: §2 (Order report)
  Rule: Types are exact, and nothing is guessed

    Scenario Outline: <body> has a field of the wrong type
      When bakkerij posts <body>
      Then the answer is 422
      And its code is wrong_type
      And it names the field <field>

      Examples:
        | body                                              | field       |
        | {"email": 1001}                                   | email       |
        | {"email": null}                                   | email       |
        | {"email": "anna@example.com", "orderNumber": 1001} | orderNumber |
        | {"email": "anna@example.com", "language": true}   | language    |
        | {"email": "anna@example.com", "delayDays": "3"}   | delayDays   |
        | {"email": "anna@example.com", "delayDays": true}  | delayDays   |
        | {"email": "anna@example.com", "delayDays": null}  | delayDays   |

    Scenario Outline: <body> is not a JSON object
      When bakkerij posts <body>
      Then the answer is 422
      And its code is <code>
      And it names no field

      Examples:
        | body                                            | code          |
        | hello                                           | invalid_json  |
        | {"email": "anna@example.com"                    | invalid_json  |
        | {"email": "anna@example.com", "delayDays": NaN} | invalid_json  |
        | ["anna@example.com"]                            | not_an_object |
        | "anna@example.com"                              | not_an_object |
        | null                                            | not_an_object |

    Scenario: A number that is too large to be finite is out of range
      When bakkerij posts {"email": "anna@example.com", "delayDays": 1e400}
      Then the answer is 422
      And its code is out_of_range
      And it names the field delayDays

  # Spec: §4, §4.1
  Rule: The body is JSON of at most 16 KiB

    Scenario: 16 KiB are not too much
      When bakkerij sends an order of 16384 bytes
      Then the answer is 201

    Scenario: One byte more is
      When bakkerij sends an order of 16385 bytes
      Then the answer is 413
      And its code is body_too_large
      And it says "De inhoud van het verzoek is te groot."
      And bakkerij has no invitations

    Scenario Outline: An order sent as <type> is refused
      When bakkerij sends an order as <type>
      Then the answer is 415
      And its code is unsupported_media_type
      And it says "De inhoud moet van het type application/json zijn."
      And bakkerij has no invitations

      Examples:
        | type                              |
        | text/plain                        |
        | application/x-www-form-urlencoded |

    Scenario: A media type may carry a parameter
      When bakkerij sends an order as application/json; charset=utf-8
      Then the answer is 201

  # Spec: §7
  Rule: An inactive shop is answered with 403

    Scenario: The shop is not active
      Given bakkerij is not active
      When bakkerij posts {"email": "anna@example.com", "orderNumber": "1001"}
      Then the answer is 403
      And its code is shop_inactive
      And it says "De winkel is niet actief."

  # Spec: §7
  Rule: While the storage is not available the answer is 503, and tells when to come back

    Scenario: Another program holds the database
      Given another program holds the database
      When bakkerij posts {"email": "anna@example.com", "orderNumber": "1001"}
      Then the answer is 503
      And its code is storage_unavailable
      And its header Retry-After is 5
      And it says "De dienst is tijdelijk niet beschikbaar. Probeer het later opnieuw."
