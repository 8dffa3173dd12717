Feature: The score is what counting the reviews gives
  It is the count and the mean of a shop's published reviews, of all time and of the last 12 months. It is kept with the
  reviews, and changes with them at once.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §2 (Review and score)
  Rule: Every published review counts the same

    Scenario: Before the first there is none
      When someone looks at the page of bakkerij
      Then there is no score at all

    Scenario Outline: <ratings> make <mean>
      Given customers of bakkerij rated it <ratings>
      When someone looks at the page of bakkerij
      Then the score of the last 12 months is <mean> from <count> reviews
      And the score of all time is <mean> from <count> reviews
      And from 1 to 5 there are <each> of each rating

      Examples:
        | ratings                   | mean | count | each             |
        | 4                         | 4.00 | 1     | 0, 0, 0, 1 and 0 |
        | 5, 4 and 1                | 3.33 | 3     | 1, 0, 0, 1 and 1 |
        | 5, 5, 4, 5, 5, 5, 4 and 4 | 4.63 | 8     | 0, 0, 0, 3 and 5 |

    Scenario: Another shop's do not count
      Given the shop kaashandel with an API key
      And customers of kaashandel rated it 1, 1 and 1
      And customers of bakkerij rated it 5
      When someone looks at the page of bakkerij
      Then the score of all time is 5.00 from 1 review

  # Spec: §3 (Review)
  Rule: What is hidden or withdrawn counts no longer

    Scenario: A hidden one counts again when it is shown again
      Given customers of bakkerij rated it 5 and 1
      When the last of them is hidden by the operator
      And someone looks at the page of bakkerij
      Then the score of all time is 5.00 from 1 review
      When the last of them is shown again
      And someone looks at the page of bakkerij
      Then the score of all time is 3.00 from 2 reviews

    Scenario: A withdrawn one does not
      Given customers of bakkerij rated it 5 and 1
      When the last of them is withdrawn by its writer
      And someone looks at the page of bakkerij
      Then the score of the last 12 months is 5.00 from 1 review
      And from 1 to 5 there are 0, 0, 0, 0 and 1 of each rating

    Scenario: A changed one counts as it is now
      Given customers of bakkerij rated it 5 and 1
      When the writer of the last of them now rates it 4
      And someone looks at the page of bakkerij
      Then the score of all time is 4.50 from 2 reviews

  # Spec: §2 (Review and score)
  Rule: The last 12 months are those of the calendar

    Scenario Outline: A review of <written> <counts> on <day>
      Given it is <written> 23:59:59
      And customers of bakkerij rated it 5
      When it is <day> 00:00
      And customers of bakkerij rate it 3
      And someone looks at the page of bakkerij
      Then the score of the last 12 months is <mean> from <count> reviews
      And the score of all time is 4.00 from 2 reviews

      Examples:
        | written    | day        | counts           | mean | count |
        | 2026-03-01 | 2027-02-28 | counts           | 4.00 | 2     |
        | 2026-03-01 | 2027-03-01 | no longer counts | 3.00 | 1     |
        | 2027-02-28 | 2028-02-27 | counts           | 4.00 | 2     |
        | 2027-02-28 | 2028-02-28 | no longer counts | 3.00 | 1     |
        | 2027-03-01 | 2028-02-29 | counts           | 4.00 | 2     |
        | 2028-02-29 | 2029-02-27 | counts           | 4.00 | 2     |
        | 2028-02-29 | 2029-02-28 | no longer counts | 3.00 | 1     |

    Scenario: Where all of them are older there is only the score of all time
      Given customers of bakkerij rated it 5
      When 365 days pass
      And someone looks at the page of bakkerij
      Then there is no score of the last 12 months
      And the score of all time is 5.00 from 1 review

    Scenario: A change does not make a review younger
      Given customers of bakkerij rated it 5
      When 20 days pass
      And the writer of the last of them now rates it 4
      And 345 days pass
      And someone looks at the page of bakkerij
      Then there is no score of the last 12 months
      And the score of all time is 4.00 from 1 review

  # Spec: §2 (Statement)
  Rule: The statement has the score of the last 12 months

    Scenario: It is the same as on the page
      Given customers of bakkerij rated it 1
      When it is 2027-03-02 12:00
      And customers of bakkerij rate it 5 and 4
      And someone verifies bakkerij
      Then the statement gives 4.50 from 2 reviews
