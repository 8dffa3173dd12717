@library
Feature: Proofs are looked for again
  A host changes hands. A proof has to stay where it is for as long as the host is to be the shop's.

  Background:
    Given it is 2026-03-02 09:00
    And the shop molen with an API key
    And molen has added the host shop.example.nl
    And molen has published its proof in the DNS
    And the operator has checked molen's host shop.example.nl

  # Spec: §3
  Rule: A proof is looked for when 24 hours have passed since the last look

    Scenario: It is still there
      When 5 days pass, with a round of looks every hour
      Then shop.example.nl is verified for molen
      And 4 looks were taken at shop.example.nl

  # Spec: §3
  Rule: Without its proof a host stays verified for 7 days, and no longer

    Scenario: The proof is gone for six days
      Given molen has taken its proof away
      When 6 days pass, with a round of looks every hour
      Then shop.example.nl is missing its proof for molen
      When molen publishes its proof again
      And 2 days pass, with a round of looks every hour
      Then shop.example.nl is verified for molen

    Scenario: The proof is gone for good
      Given molen has taken its proof away
      When 9 days pass, with a round of looks every hour
      Then shop.example.nl is lost for molen

    Scenario: What was lost is verified again by a check
      Given molen has taken its proof away
      When 9 days pass, with a round of looks every hour
      And molen publishes its proof again
      And the operator checks molen's host shop.example.nl
      Then shop.example.nl is verified for molen

    Scenario: A check finds nothing, and ends nothing
      Given molen has taken its proof away
      When the operator checks molen's host shop.example.nl
      Then shop.example.nl is missing its proof for molen

  # Spec: §3
  Rule: The operator's word is never looked at again

    Scenario: Nothing was ever published
      Given molen has taken its proof away
      And the operator has vouched for molen's host shop.example.nl
      When 30 days pass, with a round of looks every hour
      Then shop.example.nl is vouched for molen
