@http
Feature: The page of the API
  A shop's developer reads on the service itself what its API does.

  Background:
    Given its pages are at https://example.nl/reviews

  # Spec: §4 (Other addresses)
  Rule: The page comes from the service alone

    Scenario: A developer opens it
      When a developer opens the page of the API
      Then all that it loads comes from below https://example.nl/reviews
      And it may be tried out against the service only

  # Spec: §4 (Other addresses)
  Rule: What the API does is described for programs, too, with an example of every body

    Scenario: A developer's tool reads the description
      When a developer's tool reads the description of the API
      Then it names the service at https://example.nl/reviews
      And it has an example of every request and every answer

  # Spec: §7
  Rule: Every code of an error is explained

    Scenario: A developer looks up why an order was refused
      Given the shop bakkerij with an API key
      When bakkerij posts {"email": "anna"}
      And a developer opens the address in its type
      Then the page explains invalid_address
