Feature: Only the shop's own pages tell of its orders
  The browser says which page a report comes from. It has to be a verified host of the shop, over TLS, on the default
  port: the whole host counts, and nothing around it.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij.nl is a verified host of bakkerij
    And xn--bcher-kva.nl is a verified host of bakkerij

  # Spec: §4.2 (Origin)
  Rule: A verified host is the shop's own, and so is www. before it

    Scenario Outline: <origin> is the shop's own
      When a page of <origin> tells of order 1001 of anna@example.com at bakkerij
      Then it is acknowledged
      And bakkerij has 1 invitation

      Examples:
        | origin                       |
        | https://bakkerij.nl          |
        | https://www.bakkerij.nl      |
        | https://BAKKERIJ.nl          |
        | https://bakkerij.nl.         |
        | https://xn--bcher-kva.nl     |
        | https://www.XN--BCHER-KVA.nl |

  # Spec: §4.2 (Origin), §5
  Rule: Any other page is refused

    Scenario Outline: <origin> is not
      When a page of <origin> tells of order 1001 of anna@example.com at bakkerij
      Then the report is refused, because the page is not the shop's own
      And bakkerij has no invitations

      Examples:
        | origin                          |
        | https://evil-bakkerij.nl        |
        | https://bakkerij.nl.evil        |
        | https://bakkerij.nl..           |
        | https://m.bakkerij.nl           |
        | https://bakkerij.nl:443         |
        | https://bakkerij.nl:8443        |
        | http://bakkerij.nl              |
        | https://anna@bakkerij.nl        |
        | https://bakkerij.nl/            |
        | https://bakkerij.nl/thanks      |
        | "https://bakkerij.nl, https://bakkerij.nl" |
        | null                            |
        | nowhere                         |

    Scenario: The page of another shop
      Given the shop boekhandel with an API key
      And boekhandel.nl is a verified host of boekhandel
      When a page of https://boekhandel.nl tells of order 1001 of anna@example.com at bakkerij
      Then the report is refused, because the page is not the shop's own

    Scenario: A shop that there is not is refused alike
      When a page of https://bakkerij.nl tells of order 1001 of anna@example.com at nobody
      Then the report is refused, because the page is not the shop's own

    Scenario: That a shop is not active is said to its own pages only
      Given bakkerij is not active
      When a page of https://evil.nl tells of order 1001 of anna@example.com at bakkerij
      Then the report is refused, because the page is not the shop's own
