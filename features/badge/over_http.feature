@http
Feature: The badge over HTTP

  Background:
    Given it is 2026-03-01 12:00:00
    And the shop bakkerij with an API key
    And shop.example.nl is a verified host of bakkerij

  # Spec: §4.3
  Rule: No badge is an empty script, and never an error

    Scenario Outline: <case>
      Given bakkerij's trust mark is <mark>
      When a browser on <page> loads /w/<site>.js
      Then the script is empty
      And the script may be kept so: <kept>

      Examples:
        | case           | mark    | page                     | site     | kept                 |
        | an unknown site | granted | https://shop.example.nl/ | nobody   | private, max-age=300 |
        | a foreign page | granted | https://example.com/     | bakkerij | no-store             |
        | a revoked mark | revoked | https://shop.example.nl/ | bakkerij | private, max-age=300 |

  # Spec: §4.3
  Rule: A browser keeps the badge for 5 minutes, and never past 00:00 UTC

    Scenario Outline: At <time> it is kept so: <kept>
      When it is 2026-03-01 <time>
      And a browser on https://shop.example.nl/ loads /w/bakkerij.js
      Then the script may be kept so: <kept>

      Examples:
        | time         | kept                 |
        | 12:00:00     | private, max-age=300 |
        | 23:55:00     | private, max-age=300 |
        | 23:57:30     | private, max-age=150 |
        | 23:59:59.500 | private, max-age=0   |

  # Spec: §8
  Rule: A browser that asks whether its badge is still right takes a view

    Scenario: It has it already
      When a browser on https://shop.example.nl/ loads /w/bakkerij.js
      And the browser asks whether it is still right
      Then it learns that it has it already
      And bakkerij has 2 views today
