Feature: 1,000 or 10,000 views a day
  Whoever looks at a shop's badge, or verifies it, takes one from the shop's views of the day. A free profile has 1,000
  of them, a member 10,000: a shop that has the trust mark, or had it. When they are used up the badge shows nothing
  until 00:00 UTC, and the shop's pages go on working.

  # Spec: §8
  Rule: A free profile has 1,000 views a day, and no more

    Background:
      Given it is 2026-03-01 12:00:00
      And the shop bakkerij with an API key

    Scenario: The 1,001st sees nothing
      Given 999 visitors have looked at bakkerij's badge
      When a visitor looks at bakkerij's badge
      Then the badge is shown
      When a visitor looks at bakkerij's badge
      Then no badge is shown

    Scenario: Badge and verification are counted together
      Given 999 visitors have looked at bakkerij's badge
      When someone verifies bakkerij
      Then bakkerij is unverified
      When a visitor looks at bakkerij's badge
      Then no badge is shown
      When someone verifies bakkerij
      Then the verification is refused, and may be tried again in 43200 seconds

    Scenario: Each shop has its own
      Given the shop slagerij with an API key
      And 1000 visitors have looked at bakkerij's badge
      When a visitor looks at slagerij's badge
      Then the badge is shown

  # Spec: §8, §3 (Trust mark)
  Rule: A shop that has the trust mark, or had it, has more

    Scenario Outline: With the mark <mark> there are <limit> views a day
      Given the operator allows 2 views a day, and 4 with the trust mark
      And the shop bakkerij with an API key
      And bakkerij's trust mark is <mark>
      When strangers verify bakkerij 6 times
      Then <limit> of them get an answer, and the others are refused

      Examples:
        | mark    | limit |
        | absent  | 2     |
        | granted | 4     |
        | revoked | 4     |

    Scenario: That a mark is revoked is said, however many saw the badge before
      Given the operator allows 2 views a day, and 4 with the trust mark
      And the shop bakkerij with an API key
      And bakkerij's trust mark is granted
      And 3 visitors have looked at bakkerij's badge
      When the operator revokes bakkerij's trust mark
      And someone verifies bakkerij
      Then bakkerij is revoked
      And the signature is good

    Scenario: One that is granted it meanwhile goes on with what is left
      Given the operator allows 2 views a day, and 4 with the trust mark
      And the shop bakkerij with an API key
      When strangers verify bakkerij 3 times
      Then 2 of them get an answer, and the others are refused
      When bakkerij is granted the trust mark
      And strangers verify bakkerij 3 times
      Then 2 of them get an answer, and the others are refused

  # Spec: §8
  Rule: The day begins at 00:00 UTC

    Scenario: What was used up yesterday is there again
      Given the operator allows 2 views a day, and 4 with the trust mark
      And the shop bakkerij with an API key
      And it is 2026-03-01 23:59:59
      And 2 visitors have looked at bakkerij's badge
      When someone verifies bakkerij
      Then the verification is refused, and may be tried again in 1 second
      When it is 2026-03-02 00:00:00
      And a visitor looks at bakkerij's badge
      Then the badge is shown
      And bakkerij has 1 view today

  # Spec: §8, §4.3
  Rule: What nobody sees is no view

    Background:
      Given the shop bakkerij with an API key

    Scenario: A page of another site
      When a visitor of https://elsewhere.example.com/ looks at bakkerij's badge
      Then no badge is shown
      And bakkerij has 0 views today

    Scenario: The badge of a revoked mark, and what is said of it
      Given bakkerij's trust mark is revoked
      When a visitor looks at bakkerij's badge
      Then no badge is shown
      And bakkerij has 0 views today
      When someone verifies bakkerij
      Then bakkerij is revoked
      And bakkerij has 1 view today

  # Spec: §8 (Settings)
  Rule: The operator sets the figures, and 0 switches one off

    Scenario: Without a limit all is shown, and counted still
      Given the operator allows 0 views a day, and 1 with the trust mark
      And the shop bakkerij with an API key
      When strangers verify bakkerij 5 times
      Then 5 of them get an answer, and the others are refused
      And bakkerij has 5 views today

  # Spec: §8 (Fair shares)
  Rule: One address on the Internet may use all views of a day

    Scenario: The last view is shown, and the one after it gets the limit
      Given the operator allows 200 views a day, and 400 with the trust mark
      And the shop bakkerij with an API key
      When a stranger at 198.51.100.7 verifies bakkerij 201 times
      Then 200 of them get an answer, and the others are refused

  # Spec: §8 (Fair shares)
  Rule: If the operator says so, one address takes a part of a shop's views, and leaves the rest to others

    Background:
      Given it is 2026-03-01 12:00:00
      And the operator allows 200 views a day, and 400 with the trust mark
      And the operator allows each address 25 per cent of a shop's views

    Scenario: Above its share it gets what the limit itself gives, and others see the badge
      Given the shop bakkerij with an API key
      When a stranger at 198.51.100.7 verifies bakkerij 51 times
      Then 50 of them get an answer, and the others are refused
      And the verification is refused, and may be tried again in 43200 seconds
      When a visitor at 198.51.100.7 looks at bakkerij's badge
      Then no badge is shown
      When a visitor at 203.0.113.9 looks at bakkerij's badge
      Then the badge is shown
      And bakkerij has 51 views today

    Scenario: The share is one of each shop, and of each day
      Given the shop bakkerij with an API key
      And the shop slagerij with an API key
      When a stranger at 198.51.100.7 verifies bakkerij 50 times
      And a stranger at 198.51.100.7 verifies slagerij 51 times
      Then 50 of them get an answer, and the others are refused
      When it is 2026-03-02 00:00:00
      And a stranger at 198.51.100.7 verifies slagerij 51 times
      Then 50 of them get an answer, and the others are refused

    Scenario: All networks that a provider gives to one customer are one
      Given the shop bakkerij with an API key
      When a stranger at 2001:db8:1:200::1 verifies bakkerij 25 times
      And a stranger at 2001:db8:1:2ff::2 verifies bakkerij 25 times
      And a stranger at 2001:db8:1:210::3 verifies bakkerij 1 times
      Then 0 of them get an answer, and the others are refused
      When a stranger at 2001:db8:1:300::1 verifies bakkerij 1 times
      Then 1 of them get an answer, and the others are refused

    Scenario: A share is never less than 30
      Given the operator allows each address 1 per cent of a shop's views
      And the shop bakkerij with an API key
      When a stranger at 198.51.100.7 verifies bakkerij 31 times
      Then 30 of them get an answer, and the others are refused

  # Spec: §8
  Rule: A view that was seen is counted, whatever happens then

    @lasting
    Scenario: The service is started again
      Given the operator allows 2 views a day, and 4 with the trust mark
      And the shop bakkerij with an API key
      And 2 visitors have looked at bakkerij's badge
      When the service is stopped and started again
      And a visitor looks at bakkerij's badge
      Then no badge is shown
