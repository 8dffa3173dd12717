Feature: Who sees the badge
  A shop puts one tag into its pages, and never has to change it. The badge shows what the service says of the shop on
  the shop's own pages, and nothing where there is nothing to say. It never harms a page.

  Background:
    Given the shop bakkerij with an API key
    And shop.example.nl is a verified host of bakkerij

  # Spec: §4.3
  Rule: The badge is shown on the shop's own pages

    Scenario Outline: A visitor of <page> sees it
      When a visitor of <page> looks at bakkerij's badge
      Then the badge is shown

      Examples:
        | page                                  |
        | https://shop.example.nl/              |
        | https://www.shop.example.nl/brood?q=1 |
        | http://shop.example.nl:8080/          |

    Scenario: A visitor whose browser does not say where sees it
      When a visitor looks at bakkerij's badge
      Then the badge is shown

    Scenario Outline: A visitor of <page> does not
      When a visitor of <page> looks at bakkerij's badge
      Then no badge is shown

      Examples:
        | page                                 |
        | https://elsewhere.example.com/       |
        | https://example.nl/                  |
        | https://blog.shop.example.nl/        |
        | https://shop.example.nl.example.com/ |
        | http://localhost:3000/               |

  # Spec: §4.3, §3 (Trust mark)
  Rule: It shows the mark, or the score alone, or nothing

    Scenario Outline: With the mark <mark>
      Given bakkerij's trust mark is <mark>
      When a visitor looks at bakkerij's badge
      Then the badge is shown as <said>

      Examples:
        | mark    | said       |
        | absent  | unverified |
        | granted | trusted    |

    Scenario: A mark that is revoked takes the badge with it, and one that is granted again brings it back
      Given bakkerij's trust mark is revoked
      When a visitor looks at bakkerij's badge
      Then no badge is shown
      When bakkerij is granted the trust mark
      And a visitor looks at bakkerij's badge
      Then the badge is shown as trusted

    Scenario: An inactive shop has none until it is active again
      When the operator deactivates bakkerij
      And a visitor looks at bakkerij's badge
      Then no badge is shown
      When the operator activates bakkerij again
      And a visitor looks at bakkerij's badge
      Then the badge is shown

    Scenario: A shop that is not known has none
      When a visitor looks at nobody's badge
      Then no badge is shown
