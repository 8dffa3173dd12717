Feature: Messages to members
  Sign-in links and notices are e-mails that are no invitations: they go first, once, and only while they are of use.
  All times are UTC.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And owner@bakkerij.example is an owner of bakkerij

  # Spec: §6 (Messages to members)
  Rule: Messages go ahead of all invitations

    Scenario: A member asks for a link while an invitation is due
      Given bakkerij has reported order 1001 of anna@example.com
      When it is 2026-03-06 12:00
      And owner@bakkerij.example asks for a sign-in link
      And the worker runs
      Then the e-mail number 1 goes to owner@bakkerij.example
      And the e-mail number 2 goes to anna@example.com

  # Spec: §6 (Messages to members)
  Rule: No suppression and no inactive shop stops a message

    Scenario: The member's address is suppressed at all shops
      When the operator suppresses owner@bakkerij.example
      And owner@bakkerij.example asks for a sign-in link
      And the worker runs
      Then owner@bakkerij.example has got 1 e-mail

    Scenario: The shop is not active
      When the operator deactivates bakkerij
      And owner@bakkerij.example asks for a sign-in link
      And the worker runs
      Then owner@bakkerij.example has got 1 e-mail

  # Spec: §6 (Messages to members)
  Rule: Nothing is sent once it is of no use

    Scenario: The worker is too late for a link
      When owner@bakkerij.example asks for a sign-in link
      And it is 2026-03-01 12:15
      And the worker runs
      Then owner@bakkerij.example has got no e-mails

    Scenario: The worker is just in time
      When owner@bakkerij.example asks for a sign-in link
      And it is 2026-03-01 12:14:59
      And the worker runs
      Then owner@bakkerij.example has got 1 e-mail

    Scenario: The member is removed from the shop that it is about, and stays at another one
      Given the shop boekhandel with an API key
      And owner@bakkerij.example is an owner of boekhandel
      And second@bakkerij.example is an owner of bakkerij
      When the operator makes bakkerij another API key
      And the operator removes owner@bakkerij.example from bakkerij
      And the worker runs
      Then owner@bakkerij.example has got 1 e-mail
      And the last e-mail to owner@bakkerij.example says "U hebt geen toegang meer tot het dashboard van Bakkerij"
      But second@bakkerij.example has got 2 e-mails

    Scenario: The address is erased
      When owner@bakkerij.example asks for a sign-in link
      And the operator erases owner@bakkerij.example
      And the worker runs
      Then owner@bakkerij.example has got no e-mails

  # Spec: §6 (Messages to members)
  Rule: None is sent twice

    Scenario: The answer of the mail server is lost
      When owner@bakkerij.example asks for a sign-in link
      And the worker runs, and the answer of the mail server is lost
      And the worker runs
      Then owner@bakkerij.example has got 1 e-mail

    @file
    Scenario: A backup is restored that does not know that a message was sent
      When owner@bakkerij.example asks for a sign-in link
      And the operator backs up the database
      And the worker runs
      And the operator restores the backup
      And the operator reconciles
      And the worker runs
      Then owner@bakkerij.example has got 1 e-mail

    @file
    Scenario: A backup is restored in which a message waits
      When owner@bakkerij.example asks for a sign-in link
      And the operator backs up the database
      And the operator restores the backup
      And the worker runs
      Then owner@bakkerij.example has got no e-mails

  # Spec: §6 (Messages to members)
  Rule: A message comes from the service, in the member's language, and offers no way to unsubscribe

    Scenario: A sign-in link
      When owner@bakkerij.example asks for a sign-in link
      And the worker runs
      Then owner@bakkerij.example's e-mail has the headers of a message
      And owner@bakkerij.example's e-mail has a sign-in link in both parts
      And owner@bakkerij.example's e-mail says
        """
        Met deze link logt u in op het dashboard.
        """
