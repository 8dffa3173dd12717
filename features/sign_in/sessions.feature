Feature: Sessions
  Signing in begins a session in that browser. Members see their sessions, and can end each of them. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And eva@example.com is an owner of bakkerij, and signed in

  # Spec: §10.3
  Rule: A session ends after 12 hours without a request, and after 30 days

    Scenario: Left alone overnight
      When it is 2026-03-02 00:00
      Then eva@example.com is not signed in

    Scenario: Used in the evening
      When it is 2026-03-01 23:00
      And eva@example.com opens the dashboard
      And it is 2026-03-02 10:00
      Then eva@example.com is signed in

    Scenario: Used every 10 hours
      When eva@example.com opens the dashboard every 10 hours for 29 days
      Then eva@example.com is signed in
      When eva@example.com opens the dashboard every 10 hours for 2 days
      Then eva@example.com is not signed in

  # Spec: §10.3
  Rule: Members see their own sessions, and end them

    Scenario: Two browsers
      Given eva@example.com is signed in at home, too
      Then eva@example.com sees 2 sessions
      When eva@example.com ends the session at home
      Then eva@example.com is not signed in at home
      And eva@example.com is signed in

    Scenario: All others at once
      Given eva@example.com is signed in at home, too
      When eva@example.com ends all other sessions
      Then eva@example.com is not signed in at home
      And eva@example.com is signed in

    Scenario: Signing out
      When eva@example.com signs out
      Then eva@example.com is not signed in

    Scenario: Nobody ends another member's session
      Given tom@example.com is staff of bakkerij, and signed in
      When tom@example.com tries to end the session of eva@example.com
      Then eva@example.com is signed in

  # Spec: §10.8
  Rule: A restored backup opens no door

    @file
    Scenario: A session from before the backup
      When the operator backs up the database
      And the operator restores the backup
      Then eva@example.com is not signed in

    @file
    Scenario: A link from before the backup
      Given eva@example.com has asked for a sign-in link
      When the operator backs up the database
      And the operator restores the backup
      And eva@example.com opens the link
      Then the link does not work
