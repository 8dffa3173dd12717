Feature: When an invitation is due
  The parcel arrives first, then the invitation. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §1 (Delay)
  Rule: An invitation is due 5 days after the report, unless the shop or the report says otherwise

    Scenario: Nobody says otherwise
      When bakkerij reports order 1001 of anna@example.com
      Then its invitation is scheduled for 2026-03-06 12:00

    Scenario: The shop says otherwise
      Given bakkerij invites its customers after 10 days
      When bakkerij reports order 1001 of anna@example.com
      Then its invitation is scheduled for 2026-03-11 12:00

    Scenario: The report says otherwise
      Given bakkerij invites its customers after 10 days
      When bakkerij reports order 1001 of anna@example.com with a delay of 3 days
      Then its invitation is scheduled for 2026-03-04 12:00

    Scenario: The shop changes its mind
      Given bakkerij has reported order 1001 of anna@example.com
      When bakkerij from now on invites its customers after 10 days
      Then its invitation is scheduled for 2026-03-06 12:00

  # Spec: §2 (Order report), §8
  Rule: A delay is 0 to 60 days, and may be a fraction

    Scenario Outline: A delay of <days> days
      When bakkerij reports order 1001 of anna@example.com with a delay of <days> days
      Then its invitation is scheduled for <due>

      Examples:
        | days       | due                     |
        | 0          | 2026-03-01 12:00        |
        | 0.5        | 2026-03-02 00:00        |
        | 2.5        | 2026-03-04 00:00        |
        | 0.00000001 | 2026-03-01 12:00:00.001 |
        | 60         | 2026-04-30 12:00        |

    Scenario Outline: A delay of <days> days is refused
      When bakkerij reports order 1001 of anna@example.com with a delay of <days> days
      Then the report is refused, because the delay is out of range
      And bakkerij has no invitations

      Examples:
        | days     |
        | -1       |
        | -0.001   |
        | 60.00001 |
        | 61       |

  # Spec: §2 (Invitation result)
  Rule: The time is exact to the millisecond; what is finer is cut off

    Scenario: A report at a fraction of a second
      When it is 2026-03-01 12:00:00.120999
      And bakkerij reports order 1001 of anna@example.com
      Then its invitation is scheduled for 2026-03-06 12:00:00.120

  # Spec: §1 (Delay); a day is 86,400 seconds (introduction)
  Rule: A day is 24 hours, also when clocks on the wall are changed

    Scenario: Summer time begins on the way
      When it is 2026-03-28 12:00
      And bakkerij reports order 1001 of anna@example.com
      Then its invitation is scheduled for 2026-04-02 12:00

    Scenario: Summer time ends on the way
      When it is 2026-10-24 12:00
      And bakkerij reports order 1001 of anna@example.com
      Then its invitation is scheduled for 2026-10-29 12:00

    Scenario: The leap day counts as any other
      When it is 2028-02-26 12:00
      And bakkerij reports order 1001 of anna@example.com
      Then its invitation is scheduled for 2028-03-02 12:00
