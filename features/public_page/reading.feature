Feature: Everybody may read what customers wrote
  A shop's page shows its name, its trust mark, its score and its reviews, whoever asks. Nothing is left out but what
  the operator has hidden or the writer has withdrawn.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key

  # Spec: §4 (Pages)
  Rule: The page tells whose it is, and what the service says of the trust mark

    Scenario Outline: With the mark <mark>
      Given bakkerij is called "Bakkerij De Molen"
      And bakkerij's trust mark is <mark>
      When someone looks at the page of bakkerij
      Then the page is that of "Bakkerij De Molen", which is <said>

      Examples:
        | mark    | said       |
        | absent  | unverified |
        | granted | trusted    |
        | revoked | revoked    |

    Scenario: Of an inactive shop
      Given bakkerij's trust mark is granted
      And customers of bakkerij rated it 4
      And bakkerij is not active
      When someone looks at the page of bakkerij
      Then the page is that of "Bakkerij", which is inactive
      And the score of all time is 4.00 from 1 review

    Scenario: Of an unknown shop there is none
      When someone looks at the page of kaashandel
      Then the shop has no page

  # Spec: §2 (Review and score)
  Rule: Each review stands there as it was written

    Scenario: With the reply of the shop
      Given a customer of bakkerij rated it 2 and wrote "Te laat.\nEn oud <b>brood</b>!"
      And bakkerij replied "Dat spijt ons.\nBel ons even."
      When someone looks at the page of bakkerij
      Then the newest review is of 2026-03-01, rates 2 and says "Te laat.\nEn oud <b>brood</b>!"
      And the newest review is by a customer who gave no name
      And the shop replies to it "Dat spijt ons.\nBel ons even."

  # Spec: §2 (Where an order comes from), §4 (Pages)
  Rule: A review is called one of a verified order only if the shop confirmed the order before it was written

    Background:
      Given bakkerij.nl is a verified host of bakkerij
      And a page of https://bakkerij.nl has told of order 1001 of anna@example.com at bakkerij
      And its invitation has been sent

    Scenario: Nothing but the snippet reported it
      Given anna@example.com has written a review of 1 star
      When someone looks at the page of bakkerij
      Then the newest review is not called one of a verified order
      And the score of the last 12 months is 1.00 from 1 review
      And 0 of the reviews of the last 12 months are of verified orders

    Scenario: The shop reports it before the review
      When bakkerij reports order 1001 of anna@example.com
      Then it was reported before
      When anna@example.com writes a review of 5 stars
      And someone looks at the page of bakkerij
      Then the newest review is called one of a verified order
      And 1 of the reviews of the last 12 months are of verified orders

    Scenario: The shop reports it once it has seen the review
      Given anna@example.com has written a review of 5 stars
      When bakkerij reports order 1001 of anna@example.com
      And someone looks at the page of bakkerij
      Then the newest review is not called one of a verified order

    Scenario: A review that is written again stays what it was
      Given anna@example.com has written a review of 5 stars
      When bakkerij reports order 1001 of anna@example.com
      And anna@example.com withdraws the review
      And anna@example.com writes a review of 4 stars
      And someone looks at the page of bakkerij
      Then the newest review is not called one of a verified order

  # Spec: §4 (Pages)
  Rule: There are 20 to a page, the newest first, and going on misses and repeats none

    Scenario: 20 fit
      Given 20 customers of bakkerij rated it, one a minute
      When someone looks at the page of bakkerij
      Then it shows 20 reviews, from 19 to 0
      And there are no older reviews

    Scenario: New ones do not move the older ones
      Given 45 customers of bakkerij rated it, one a minute
      When someone looks at the page of bakkerij
      Then it shows 20 reviews, from 44 to 25
      And there are older reviews
      When customers of bakkerij rate it 5, 4 and 3
      And they go on to the older reviews of bakkerij
      Then it shows 20 reviews, from 24 to 5
      When they go on to the older reviews of bakkerij
      Then it shows 5 reviews, from 4 to 0
      And there are no older reviews

  # Spec: §4 (Pages)
  Rule: It says how many invitations were cancelled or kept back, and no totals

    Scenario: None has ended yet
      Given bakkerij has reported order 1001 of anna@example.com
      When someone looks at the page of bakkerij
      Then it says nothing of invitations that were not sent

    Scenario: Of the orders that the shop itself reported
      Given bakkerij has reported 5 orders
      And eva@example.com is an owner of bakkerij, and signed in
      And eva@example.com has opened the dashboard of bakkerij
      And bakkerij has reported order 1 of eva@example.com
      And bakkerij has reported order 2 of anna@example.com
      When the operator cancels the invitation
      And 5 days pass
      And the worker runs
      And someone looks at the page of bakkerij
      Then per 100 confirmed orders it says 14 cancelled and 14 kept back

    Scenario: What only browsers told of is counted apart
      Given bakkerij.nl is a verified host of bakkerij
      And a page of https://bakkerij.nl has told of order 1 of bob@example.com at bakkerij
      And a page of https://bakkerij.nl has told of order 2 of carl@example.com at bakkerij
      When 5 days pass
      And the worker runs
      And someone looks at the page of bakkerij
      Then per 100 orders of the website it says 0 cancelled
      When bakkerij reports order 3 of anna@example.com
      And the operator cancels the invitation
      And someone looks at the page of bakkerij
      Then per 100 confirmed orders it says 100 cancelled and 0 kept back
      And per 100 orders of the website it says 0 cancelled
