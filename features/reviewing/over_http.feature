@http
Feature: Reviewing over HTTP
  The form is sent with POST, and the page that follows is a page of its own.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com
    And its invitation has been sent

  # Spec: §6 (Writing a review)
  Rule: Whoever has written a review learns that everyone can read it, and where

    Scenario: It is published
      When anna@example.com sends the form with 4 stars
      Then the page says that everyone can read the review
      And it leads to the page of bakkerij, where the review is

    Scenario: It is hidden
      Given anna@example.com has written a review of 1 star
      When the operator hides the review as an insult
      And anna@example.com sends the form with 2 stars
      Then the page does not say that everyone can read the review
