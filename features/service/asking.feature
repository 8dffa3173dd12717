@cli
Feature: Asking what is wrong
  An operator learns what is missing from the service itself, not from a customer.

  # Spec: §1 (Managing the service)
  Rule: What is found comes with the next step

    Scenario: Nothing answers at its public address
      Given its pages are at http://127.0.0.1:9
      When the operator runs `reviewinvite doctor`
      Then it finds `http://127.0.0.1:9: connection refused`
      And it suggests `Start reviewinvite serve and the proxy, and check this machine's firewall.`

  # Spec: §1 (Managing the service)
  Rule: A test e-mail is sent as invitations are

    Scenario: E-mails go to an outbox
      When the operator runs `reviewinvite mail test me@example.com`
      Then the command succeeds
      And the outbox holds 1 e-mail

  # Spec: §1 (Managing the service)
  Rule: A new installation is complete

    Scenario: Its first shop has a key and an owner
      When the operator runs `reviewinvite init --site-id bakery --shop-name Bakery --owner eva@example.com`
      Then the command succeeds
      And it prints a key
      And it prints a sign-in link
