Feature: The link to the review page
  It is personal, does nothing by being opened, and ends. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00

  # Spec: §6 (Links)
  Rule: Opening the link changes nothing

    Scenario: A mail scanner follows it
      Given the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      When anna@example.com opens the link to write a review
      Then a review can be written there
      And the page is in Dutch
      And the invitation is scheduled
      And nothing has been written of bakkerij

  # Spec: §6 (Links)
  Rule: An opened link proves that the e-mail has arrived

    Scenario: The answer of the mail server was lost
      Given the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs, and the answer of the mail server is lost
      Then the invitation is uncertain
      When anna@example.com opens the link to write a review
      Then the invitation is sent
      And nothing about the invitation is in doubt
      And nothing has been written of bakkerij

    Scenario: An invalid link proves nothing
      Given the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And the worker runs, and the answer of the mail server is lost
      And somebody opens a link to write a review that lacks its end
      Then the invitation is uncertain

  # Spec: §6 (Links)
  Rule: A link is good for one page and one invitation

    Scenario: It was not copied whole
      Given the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      When somebody opens a link to write a review that lacks its end
      Then the page is not known

    Scenario: It is the other link of the e-mail
      Given the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      When somebody opens the review page with the link to opt out
      Then the page is not known

  # Spec: §6 (Links)
  Rule: It ends 90 days after the hand-over, unless the operator has set another time

    Scenario: A moment before
      Given the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      And its invitation has been sent
      When it is 2026-06-04 11:59:59.999
      And anna@example.com writes a review of 5 stars
      Then one review of bakkerij is published, with 5 stars

    Scenario: Then
      Given the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      And its invitation has been sent
      When it is 2026-06-04 12:00
      And anna@example.com opens the link to write a review
      Then nothing can be written there any more
      When anna@example.com writes a review of 5 stars
      Then she reads that it is too late
      And nothing has been written of bakkerij

    Scenario: The operator has set another time
      Given the operator lets links be used for 10 days
      And the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      And its invitation has been sent
      When 9 days pass
      And anna@example.com opens the link to write a review
      Then a review can be written there
      When 1 day passes
      And anna@example.com opens the link to write a review
      Then nothing can be written there any more

    Scenario: The order was cancelled
      Given the shop bakkerij with an API key
      And bakkerij has reported order 1001 of anna@example.com
      When the operator cancels the invitation
      And anna@example.com opens the link to write a review
      Then nothing can be written there any more
