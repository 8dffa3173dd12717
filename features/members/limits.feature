Feature: Limits on e-mails that members cause
  An owner may type any address as a new member's. Nobody's mailbox is filled that way, and no invitation waits for it.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And eva@example.com is an owner of bakkerij, and signed in

  # Spec: §8, §10.1
  Rule: Members add one address at most 5 times an hour

    Scenario: Adding and removing a stranger again and again
      Given eva@example.com has 5 times invited bob@example.com to bakkerij, and removed them
      When eva@example.com invites bob@example.com to be staff of bakkerij
      Then that is refused for a while
      And the only member of bakkerij is the owner eva@example.com

    Scenario: Somebody else
      Given eva@example.com has 5 times invited bob@example.com to bakkerij, and removed them
      When eva@example.com invites tom@example.com to be staff of bakkerij
      Then that is done

    Scenario Outline: <when>
      Given eva@example.com has 5 times invited bob@example.com to bakkerij, and removed them
      When it is <time>
      And eva@example.com invites bob@example.com to be staff of bakkerij
      Then <outcome>

      Examples:
        | when              | time                | outcome                     |
        | Just too early    | 2026-03-01 12:59:59 | that is refused for a while |
        | After a full hour | 2026-03-01 13:00    | that is done                |

    Scenario: The operator
      Given eva@example.com has 5 times invited bob@example.com to bakkerij, and removed them
      When the operator invites bob@example.com to bakkerij
      Then that is done

    Scenario: At another shop, too
      Given the shop boekhandel with an API key
      And the operator has made eva@example.com an owner of boekhandel
      And eva@example.com has 5 times invited bob@example.com to bakkerij, and removed them
      When eva@example.com invites bob@example.com to be staff of boekhandel
      Then that is refused for a while

  # Spec: §8, §10.6
  Rule: Members of a shop cause e-mails to others at most 20 times an hour

    Scenario Outline: After 20 new members, an owner <does>
      Given eva@example.com has invited 20 people to bakkerij
      When eva@example.com <does>
      Then <outcome>

      Examples:
        | does                                                                | outcome                     |
        | invites bob@example.com to be staff of bakkerij                     | that is refused for a while |
        | makes a key for bakkerij                                            | that is refused for a while |
        | sets the address for replies of bakkerij to info@bakkerij.example   | that is refused for a while |
        | sets the delay of bakkerij to 3 days                                | that is done                |
        | removes person0@example.com from bakkerij                           | that is done                |
