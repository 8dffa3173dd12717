Feature: A shop's programs change its settings
  With the key that reports orders a program changes when a shop invites, what its badge looks like and its domains.
  Whoever has stolen that key cannot take over the shop with it.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And the shop boekhandel with an API key

  # Spec: §4.13
  Rule: A program changes when its shop invites

    Scenario: Later
      When bakkerij's program sets the delay to 9 days
      And bakkerij reports order 1001 of anna@example.com
      Then its invitation is scheduled for 2026-03-10 12:00

    Scenario: Not when another shop invites
      When boekhandel's program sets the delay to 9 days
      And bakkerij reports order 1001 of anna@example.com
      Then its invitation is scheduled for 2026-03-06 12:00

    Scenario: Not later than there are days
      When bakkerij's program sets the delay to 61 days
      Then the shop is refused with out_of_range

    Scenario Outline: Not who the shop is
      When bakkerij's program sets <what> to "<value>"
      Then the shop is refused with unknown_field
      And bakkerij is still called "Bakkerij"

      Examples:
        | what                    | value             |
        | the name                | Bank              |
        | the address for replies | thief@example.com |

  # Spec: §4.14
  Rule: A program sets what the badge looks like

    Scenario: Dark and small
      When bakkerij's program sets a dark and small badge
      Then bakkerij has a dark and small badge

    Scenario: Not of a colour that there is not
      When bakkerij's program sets a purple and small badge
      Then the shop is refused with unknown_theme

  # Spec: §4.15, §4.16
  Rule: A program adds a domain, and has its proof looked for

    Scenario: With its proof
      When bakkerij's program adds the domain bakkerij.nl
      And bakkerij publishes its proof
      And bakkerij's program has bakkerij.nl checked
      Then bakkerij's domain is verified

    Scenario: Without its proof
      When bakkerij's program adds the domain bakkerij.nl
      And bakkerij's program has bakkerij.nl checked
      Then bakkerij's domain is unproved

    Scenario: Not another shop's
      When bakkerij's program adds the domain bakkerij.nl
      And boekhandel's program has bakkerij.nl checked
      Then the shop is refused with domain_unknown

    Scenario: Not one that belongs to everybody
      When bakkerij's program adds the domain co.uk
      Then the shop is refused with public_suffix
