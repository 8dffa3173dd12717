@http
Feature: A shop's program reads page by page
  What a shop has may be long. A program reads it in pages, and each page says whether there are more.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com
    And the customer of that order has given 5 stars and written "Lekker brood."
    And it is 2026-03-01 12:01
    And bakkerij has reported order 1002 of bob@example.com
    And the customer of that order has given 4 stars and written "Snel geleverd."
    And it is 2026-03-01 12:02
    And bakkerij has reported order 1003 of carla@example.com
    And the customer of that order has given 3 stars and written "Ging wel."

  # Spec: §4.7, §4.9
  Rule: A page says whether there are more, and the next one begins where it ends

    Scenario: Invitations, the newest first
      When bakkerij's program reads 2 of its invitations
      Then it reads of the orders 1003 and 1002, and that there are more
      When bakkerij's program reads on
      Then it reads of the orders 1001, and that there are no more

    Scenario: Reviews, the least recently changed first
      When bakkerij's program reads 2 of its reviews
      Then it reads of the orders 1001 and 1002, and that there are more
      When bakkerij's program reads on
      Then it reads of the orders 1003, and that there are no more

  # Spec: §4.7
  Rule: After the last page of reviews a program reads on later, and gets what has changed

    Scenario: A customer withdraws a review meanwhile
      When bakkerij's program reads 100 of its reviews
      Then it reads of the orders 1001, 1002 and 1003, and that there are no more
      When it is 2026-03-02 12:00
      And the customer withdraws that review
      And bakkerij's program reads on
      Then it reads of the orders 1003, and that there are no more
