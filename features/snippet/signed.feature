Feature: The shop's server signs what its pages tell
  Anybody can imitate a page. A signature, made on the shop's server with its secret, only the shop can make. A shop
  chooses whether its pages' reports need one, or whether it takes none from pages at all.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij.nl is a verified host of bakkerij
    And bakkerij has a snippet secret

  # Spec: §4.2 (Signature)
  Rule: An open snippet takes signed and unsigned orders, and says how many signatures were wrong

    Scenario Outline: <which> signature
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij, signed with <signature>
      Then it is acknowledged
      And bakkerij has 1 invitation
      And <wrong> wrong signatures came to bakkerij today

      Examples:
        | which   | signature        | wrong |
        | A valid | its secret       | 0     |
        | A wrong | another secret   | 1     |
        | No      | nothing          | 0     |

    Scenario: Tomorrow is another day
      Given a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij, signed with another secret
      When it is 2026-03-02 00:00
      Then 0 wrong signatures came to bakkerij today

    Scenario: A replay is harmless
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij, signed with its secret
      And the page tells of it again
      Then all of them are acknowledged
      And bakkerij has 1 invitation

    Scenario: What a stranger cannot make up is under no cap of the address
      Given 3 browsers have told bakkerij of another order of anna@example.com each
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij, signed with its secret
      Then bakkerij has 4 invitations

  # Spec: §4.2 (Signature)
  Rule: A signature is over the very strings that are sent

    Scenario Outline: <what>
      When a page of https://bakkerij.nl tells of <order> at bakkerij, signed with its secret
      Then it is acknowledged
      And <wrong> wrong signatures came to bakkerij today

      Examples:
        | what                         | order                                           | wrong |
        | An internationalised domain  | order 1001 of anna@bücher.nl                    | 0     |
        | An order without a number    | an order of anna@example.com without a number   | 0     |
        | Blanks around them           | order " 1001 " of " anna@example.com"           | 0     |
        | A line break in one          | order "1001\u000a" of anna@example.com          | 1     |

  # Spec: §4.13
  Rule: A shop can take signed orders only once a valid signature came

    Scenario: Not before a valid signature came
      Given a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij, signed with another secret
      When bakkerij's program sets its snippet to signed
      Then the shop is refused with signature_unseen
      When a page of https://bakkerij.nl tells of order 1002 of bob@example.com at bakkerij
      Then it is acknowledged

  # Spec: §4.2 (Signature)
  Rule: A shop that takes signed orders only refuses all others

    Background:
      Given a page of https://bakkerij.nl has told of order 1000 of eva@example.com at bakkerij, signed with its secret
      And bakkerij takes signed orders only

    Scenario Outline: An order signed with <signature> is refused
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij, signed with <signature>
      Then the report is refused, because the signature is missing or wrong
      And bakkerij has 1 invitation

      Examples:
        | signature      |
        | another secret |
        | nothing        |

    Scenario: Signed orders are taken
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij, signed with its secret
      Then it is acknowledged
      And bakkerij has 2 invitations

    Scenario: A page of somebody else learns nothing about it
      When a page of https://evil.nl tells of order 1001 of anna@example.com at bakkerij
      Then the report is refused, because the page is not the shop's own

  # Spec: §4.2 (Signature)
  Rule: A shop that is off takes no order from pages, and its server goes on

    Scenario: Off
      When bakkerij's program sets its snippet to off
      And a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij, signed with its secret
      Then the report is refused, because the shop takes no orders from pages
      When bakkerij reports order 1001 of anna@example.com
      Then bakkerij has 1 invitation

  # Spec: §4.2 (Signature)
  Rule: Two secrets are valid while one replaces the other

    Background:
      Given a page of https://bakkerij.nl has told of order 1000 of eva@example.com at bakkerij, signed with its secret
      And bakkerij takes signed orders only

    Scenario: The one before it is valid, and the one before that is not
      Given bakkerij has replaced its snippet secret
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at bakkerij, signed with the secret before it
      And a page of https://bakkerij.nl tells of order 1002 of bob@example.com at bakkerij, signed with its secret
      Then all of them are acknowledged
      When bakkerij replaces its snippet secret
      And a page of https://bakkerij.nl tells of order 1003 of carl@example.com at bakkerij, signed with its first secret
      Then the report is refused, because the signature is missing or wrong
