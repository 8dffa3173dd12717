Feature: The customer's e-mail address
  The invitation goes to this address, so it has to be one that mail can be sent to. It is checked by its form alone.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §2 (Addresses)
  Rule: An address that mail can be sent to is accepted

    Scenario Outline: <what>
      When bakkerij reports order 1001 of <address>
      Then it is a new order

      Examples:
        | what                        | address                         |
        | a plain address             | anna@example.com                |
        | dots and a tag              | anna.b+shop@example.com         |
        | an apostrophe               | o'anna@example.com              |
        | a subdomain                 | anna@post.example.nl            |
        | an internationalised domain | anna@bücher.example.com         |
        | its ASCII form              | anna@xn--bcher-kva.example.com  |

    Scenario: 64 characters before the @ are not too many
      When bakkerij reports an order of an address with 64 characters before the @
      Then it is a new order

  # Spec: §2 (Addresses), §7
  Rule: Anything else is refused

    Scenario Outline: <what> is refused
      When bakkerij reports order 1001 of <address>
      Then the report is refused, because the e-mail address is not valid
      And bakkerij has no invitations

      Examples:
        | what                     | address                                |
        | an empty text            | ""                                     |
        | a name                   | anna                                   |
        | a missing name           | @example.com                           |
        | a missing domain         | anna@                                  |
        | two @                    | anna@bob@example.com                   |
        | two dots in a row        | anna..b@example.com                    |
        | a dot at the end         | anna.@example.com                      |
        | a blank                  | "anna b@example.com"                   |
        | a name before it         | "Anna <anna@example.com>"              |
        | two addresses            | "anna@example.com, bob@example.com"    |
        | a comment                | "anna(home)@example.com"               |
        | a quoted name            | "\"anna\"@example.com"                 |
        | a line break             | "anna@example.com\\u000d\\u000aBcc: bob@example.com" |
        | a numeric address        | anna@[192.0.2.1]                       |
        | a domain without a dot   | anna@localhost                         |
        | a reserved domain        | anna@shop.test                         |
        | letters outside ASCII    | änna@example.com                       |

    Scenario: 65 characters before the @ are too many
      When bakkerij reports an order of an address with 65 characters before the @
      Then the report is refused, because the e-mail address is not valid
