Feature: A customer wants no more invitations
  Each invitation holds a link by which its customer opts out, of that shop or of all shops. All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And the shop boekhandel with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §6 (Links)
  Rule: Opening the link changes nothing

    Scenario: A mail scanner follows every link
      When anna@example.com opens the link to opt out
      Then she is asked whether to stop the invitations of bakkerij
      And the invitation is scheduled
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got 1 e-mail

    Scenario: The link was not copied whole
      When somebody opens a link to opt out that lacks its end
      Then there is no such page

  # Spec: §6 (Suppression)
  Rule: Who opted out of a shop is not written to by it any more

    Scenario: Before the invitation leaves
      When anna@example.com opts out of bakkerij
      Then the invitation is suppressed
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got no e-mail

    Scenario: At the last moment
      When it is 2026-03-06 12:00
      And the worker runs, and anna@example.com opts out of bakkerij at the last moment
      Then anna@example.com has got no e-mail
      And the invitation is suppressed

    Scenario: Before the next order
      When anna@example.com opts out of bakkerij
      And bakkerij reports order 1002 of Anna@example.com
      Then it is a new order
      And the invitation is suppressed
      When bakkerij reports it again
      Then it was reported before
      When 30 days pass
      And the worker runs
      Then Anna@example.com has got no e-mail

    Scenario: Other customers and other shops go on
      Given bakkerij has reported order 1002 of bob@example.com
      When anna@example.com opts out of bakkerij
      And boekhandel reports order 7 of anna@example.com
      And it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got 1 e-mail
      And bob@example.com has got 1 e-mail

    Scenario: Twice is as good as once
      When anna@example.com opts out of bakkerij
      And anna@example.com opts out of bakkerij
      And anna@example.com opens the link to opt out
      Then she reads that the invitations of bakkerij have stopped
      And the invitation is suppressed

  # Spec: §6 (Suppression)
  Rule: Who opted out of all shops is not written to by any

    Scenario: Another shop's invitation is on its way
      Given boekhandel has reported order 7 of anna@example.com
      When anna@example.com opts out of all shops
      Then the invitation is suppressed
      When it is 2026-03-06 12:00
      And the worker runs
      Then anna@example.com has got no e-mail

    Scenario: Another shop's next order
      When anna@example.com opts out of all shops
      And boekhandel reports order 7 of anna@example.com
      Then it is a new order
      And the invitation is suppressed

  # Spec: §6 (Links)
  Rule: The link never ends

    Scenario: Years later
      When it is 2026-03-06 12:00
      And the worker runs
      And 2000 days pass
      And anna@example.com opts out of bakkerij
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is suppressed

    Scenario: After the address was erased
      When the operator erases anna@example.com
      And anna@example.com opts out of bakkerij
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is suppressed

  # Spec: §6 (Opting out)
  Rule: Who opted out can undo that by the same link

    Scenario: Of the shop
      When anna@example.com opts out of bakkerij
      And anna@example.com undoes that by the same link
      Then the invitation is suppressed
      When bakkerij reports order 1002 of anna@example.com
      Then the invitation is scheduled

    Scenario: Of all shops
      When anna@example.com opts out of all shops
      And anna@example.com undoes that by the same link
      And boekhandel reports order 7 of anna@example.com
      Then the invitation is scheduled

    Scenario: Not what an operator suppressed
      When the operator suppresses anna@example.com
      And anna@example.com undoes that by the same link
      Then she can not undo that
      When bakkerij reports order 1002 of anna@example.com
      Then the invitation is suppressed

  # Spec: §6 (Suppression)
  Rule: An operator's word can be taken back by an operator, a customer's only by the customer

    Scenario: The operator suppresses an address
      When the operator suppresses anna@example.com
      Then the invitation is suppressed

    Scenario: The operator takes that back
      When the operator suppresses anna@example.com
      And the operator takes the suppression of anna@example.com back
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is scheduled

    Scenario: What was suppressed stays so
      When the operator suppresses anna@example.com
      And the operator takes the suppression of anna@example.com back
      And bakkerij reports it again
      Then it is the same order
      And the invitation is suppressed

    Scenario: A customer's own opt-out stands
      When anna@example.com opts out of all shops
      Then the operator can not take the suppression of anna@example.com back
      When bakkerij reports order 1002 of anna@example.com
      Then the invitation is suppressed

    Scenario: Unless the customer asks
      When anna@example.com opts out of all shops
      And anna@example.com asks the operator to be written to again
      And bakkerij reports order 1002 of anna@example.com
      Then the invitation is scheduled
