@library
Feature: Proving a domain
  What a browser reports counts only when it comes from the shop's own host. A shop proves that a host is its own by
  publishing a text that only it was told.

  Background:
    Given it is 2026-03-02 09:00
    And the shop molen with an API key
    And the shop kaas with an API key

  # Spec: §3
  Rule: A host is verified once its proof is found

    Scenario Outline: Either way of publishing is enough
      Given molen has added the host shop.example.nl
      And molen has published its proof <where>
      When the operator checks molen's host shop.example.nl
      Then shop.example.nl is verified for molen

      Examples:
        | where      |
        | in the DNS |
        | in a file  |

    Scenario: Nothing is published yet
      Given molen has added the host shop.example.nl
      When the operator checks molen's host shop.example.nl
      Then shop.example.nl is unproved for molen

    Scenario: What another shop has published proves nothing
      Given molen has added the host shop.example.nl
      And kaas has added the host shop.example.nl
      And kaas has published its proof in the DNS
      When the operator checks molen's host shop.example.nl
      Then shop.example.nl is unproved for molen

    Scenario: Adding a host again does not change what is to be published
      Given molen has added the host shop.example.nl
      And molen has published its proof in the DNS
      When molen adds the host SHOP.example.nl
      And the operator checks molen's host shop.example.nl
      Then shop.example.nl is verified for molen

    Scenario: The operator vouches
      When the operator vouches for molen's host shop.example.nl
      Then shop.example.nl is vouched for molen

  # Spec: §3
  Rule: A host that nobody can own is refused

    Scenario Outline: Public suffixes, addresses and invalid hosts
      When molen adds the host <host>
      Then the host is refused, because <reason>

      Examples:
        | host            | reason                     |
        | co.uk           | it is a public suffix      |
        | myshopify.com   | it is a public suffix      |
        | github.io       | it is a public suffix      |
        | 192.0.2.1       | it is no host name         |
        | localhost       | it is no host name         |
        | shop.nl:443     | it is no host name         |
        | https://shop.nl | it is no host name         |

    Scenario: A shop of its own under a public suffix
      When molen adds the host molen.myshopify.com
      Then molen.myshopify.com is unproved for molen

    Scenario: A dot at the end names the same host
      When molen adds the host www.shop.example.
      Then www.shop.example is unproved for molen

    Scenario: An internationalised host is kept in the form that browsers send
      When molen adds the host Bäckerei.example
      Then xn--bckerei-5wa.example is unproved for molen

  # Spec: §3
  Rule: A host is verified for one shop at a time

    Scenario Outline: Another shop has it
      Given the operator has vouched for molen's host <first>
      And kaas has added the host <second>
      And kaas has published its proof in the DNS
      When the operator checks kaas's host <second>
      Then the host is refused, because another shop has it
      And <second> is unproved for kaas

      Examples:
        | first               | second              |
        | shop.example.nl     | shop.example.nl     |
        | shop.example.nl     | www.shop.example.nl |
        | www.shop.example.nl | shop.example.nl     |

    Scenario: The operator cannot vouch for it either
      Given the operator has vouched for molen's host shop.example.nl
      When the operator vouches for kaas's host shop.example.nl
      Then the host is refused, because another shop has it

    Scenario: A move is prepared, and made
      Given the operator has vouched for molen's host shop.example.nl
      And kaas has added the host shop.example.nl
      And kaas has published its proof in the DNS
      When the operator removes molen's host shop.example.nl
      And the operator checks kaas's host shop.example.nl
      Then shop.example.nl is verified for kaas
      And molen has no hosts
