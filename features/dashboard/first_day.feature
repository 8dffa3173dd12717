@http
Feature: A merchant's first day
  A merchant knows the address of the service, and that an e-mail address is a member's. No terminal is needed.

  # Spec: §10, §10.5
  Rule: The dashboard alone leads from the sign-in link to a verified badge and an answered review

    Scenario: From the first link to the first reply
      Given it is 2026-03-01 12:00
      And the shop bakkerij
      And the operator has made eva@example.com an owner of bakkerij
      When eva@example.com presses its button
      Then 4 steps are left for eva@example.com at bakkerij
      When eva@example.com adds bakkerij.nl to bakkerij, and publishes what the page shows
      And eva@example.com has bakkerij.nl of bakkerij checked
      Then the page says that it is verified
      When eva@example.com makes a key for the web shop of bakkerij
      And the web shop of bakkerij reports order 1001 of anna@example.com
      And a visitor of https://bakkerij.nl/ looks at bakkerij's badge
      Then the badge is shown
      And 0 steps are left for eva@example.com at bakkerij
      When eva@example.com sends the invitation of bakkerij at once
      And the worker runs
      Then anna@example.com has got 1 e-mail
      Given the customer of that order has given 5 stars and written "Lekker brood!"
      When eva@example.com replies "Dank u wel!" in the dashboard of bakkerij
      Then everybody reads the reply "Dank u wel!" on the page of bakkerij
