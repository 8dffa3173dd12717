Feature: A customer writes a review
  The link in the invitation leads to a page with a form. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com
    And its invitation has been sent

  # Spec: §6 (Writing a review)
  Rule: Stars are needed, a text and a name are not

    Scenario: Stars, a text and a name
      When anna@example.com writes 4 stars and "Lekker brood.\nGraag tot ziens!", as "Anna de B."
      Then one review of bakkerij is published, with 4 stars
      And the page shows 4 stars and "Lekker brood.\nGraag tot ziens!", as "Anna de B."

    Scenario: Stars alone
      When anna@example.com writes a review of 5 stars
      Then one review of bakkerij is published, with 5 stars
      And the page shows 5 stars and no text, as "A customer of Bakkerij"

    Scenario: No stars
      When anna@example.com sends the form without stars
      Then the form comes back, because of the stars
      And nothing has been written of bakkerij

    Scenario Outline: As long as it may be
      When anna@example.com writes a <what> of <fits> characters
      Then one review of bakkerij is published, with 5 stars
      When anna@example.com writes a <what> of <more> characters
      Then the form comes back, because of the <what>

      Examples:
        | what | fits | more |
        | text | 4000 | 4001 |
        | name | 80   | 81   |

  # Spec: §2 (Review and score), §3
  Rule: An invitation leads to one review

    Scenario: The form is sent twice
      When anna@example.com writes a review of 4 stars
      And anna@example.com writes a review of 4 stars
      Then one review of bakkerij is published, with 4 stars

    Scenario: Its writer changes it
      Given anna@example.com has written 2 stars and "Hm.", as "Anna"
      When anna@example.com writes 3 stars and "Toch lekker.", as "Anna"
      Then one review of bakkerij is published, with 3 stars
      And the page shows 3 stars and "Toch lekker.", as "Anna"

  # Spec: §3
  Rule: It can be changed and withdrawn for 30 days after it was first written

    Scenario: A second visit
      Given anna@example.com has written 2 stars and "Hm.", as "Anna"
      When 29 days pass
      And anna@example.com opens the link to write a review
      Then the page shows 2 stars and "Hm.", as "Anna"
      And the review can be changed there

    Scenario: Too late to change it
      Given anna@example.com has written 2 stars and "Hm.", as "Anna"
      When 30 days pass
      And anna@example.com opens the link to write a review
      Then the page shows 2 stars and "Hm.", as "Anna"
      And the review can not be changed there
      When anna@example.com writes a review of 5 stars
      Then she reads that it is too late
      And one review of bakkerij is published, with 2 stars

    Scenario: Too often
      Given anna@example.com has written a review 100 times, the last time with 2 stars
      When anna@example.com opens the link to write a review
      Then the review can not be changed there
      When anna@example.com writes a review of 5 stars
      Then she reads that nothing was saved
      And one review of bakkerij is published, with 2 stars
      When anna@example.com withdraws the review
      Then of the one review of bakkerij nothing is kept that was written

    Scenario: Too late to withdraw it
      Given anna@example.com has written a review of 2 stars
      When 30 days pass
      And anna@example.com withdraws the review
      Then she reads that it is too late
      And one review of bakkerij is published, with 2 stars

    Scenario: Written on the last day
      When 89 days pass
      And anna@example.com writes a review of 2 stars
      And 29 days pass
      And anna@example.com writes a review of 3 stars
      Then one review of bakkerij is published, with 3 stars

  # Spec: §3
  Rule: Of what is withdrawn nothing is kept, and it can be written again

    Scenario: Withdrawn
      Given anna@example.com has written 2 stars and "Hm.", as "Anna"
      When anna@example.com withdraws the review
      Then of the one review of bakkerij nothing is kept that was written
      And a review can be written there

    Scenario: Written again
      Given anna@example.com has written a review of 2 stars
      When anna@example.com withdraws the review
      And anna@example.com writes a review of 4 stars
      Then one review of bakkerij is published, with 4 stars

    Scenario: There is nothing to withdraw
      When anna@example.com withdraws the review
      Then a review can be written there
      And nothing has been written of bakkerij

  # Spec: §3
  Rule: What the operator has hidden stays hidden

    Scenario: Its writer changes what is hidden
      Given anna@example.com has written a review of 1 star
      When the operator hides the review as an insult
      And anna@example.com writes a review of 2 stars
      Then one review of bakkerij is hidden, with 2 stars

    Scenario: Its writer withdraws it and writes again
      Given anna@example.com has written a review of 1 star
      When the operator hides the review as an insult
      And anna@example.com withdraws the review
      And anna@example.com writes a review of 5 stars
      Then one review of bakkerij is hidden, with 5 stars
