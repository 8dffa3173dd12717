Feature: Members and their roles
  Owners decide who acts for their shop. Staff work with its reviews and invitations.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com
    And eva@example.com is an owner of bakkerij, and signed in
    And tom@example.com is staff of bakkerij, and signed in

  # Spec: §10.1, §10.5
  Rule: The role decides what a member may do

    Scenario Outline: Staff <does>
      When tom@example.com <does>
      Then <outcome>

      Examples:
        | does                                            | outcome                  |
        | cancels the invitation of bakkerij              | that is done             |
        | sets the delay of bakkerij to 3 days            | that is refused to staff |
        | calls bakkerij "De Molen"                       | that is refused to staff |
        | makes a key for bakkerij                        | that is refused to staff |
        | invites bob@example.com to be staff of bakkerij | that is refused to staff |

    Scenario Outline: An owner <does>
      When eva@example.com <does>
      Then that is done

      Examples:
        | does                                            |
        | cancels the invitation of bakkerij              |
        | sets the delay of bakkerij to 3 days            |
        | calls bakkerij "De Molen"                       |
        | makes a key for bakkerij                        |
        | invites bob@example.com to be staff of bakkerij |

  # Spec: §10.1
  Rule: Removing a member or changing a role takes effect at once

    Scenario: A role that is raised
      When eva@example.com makes tom@example.com an owner of bakkerij
      And tom@example.com sets the delay of bakkerij to 3 days
      Then that is done

    Scenario: A role that is lowered
      When eva@example.com makes tom@example.com an owner of bakkerij
      And tom@example.com makes eva@example.com staff of bakkerij
      And eva@example.com sets the delay of bakkerij to 3 days
      Then that is refused to staff

    Scenario: A member who is removed from the only shop
      When eva@example.com removes tom@example.com from bakkerij
      Then tom@example.com is not signed in

    Scenario: A member who is removed from one of two shops
      Given the shop boekhandel with an API key
      And the operator has made tom@example.com staff of boekhandel
      When the operator removes tom@example.com from bakkerij
      And tom@example.com cancels the invitation of bakkerij
      Then that is refused, as if there were no such shop
      But tom@example.com is signed in

  # Spec: §10.1
  Rule: The last owner stays

    Scenario: Leaving
      When eva@example.com removes eva@example.com from bakkerij
      Then that is refused to the last owner

    Scenario: Becoming staff
      When eva@example.com makes eva@example.com staff of bakkerij
      Then that is refused to the last owner

    Scenario: With a second owner
      When eva@example.com makes tom@example.com an owner of bakkerij
      And eva@example.com removes eva@example.com from bakkerij
      Then that is done
      And the only member of bakkerij is the owner tom@example.com

  # Spec: §10.1
  Rule: A member of several shops has one sign-in

    Scenario: Two shops
      Given the shop boekhandel with an API key
      And the operator has made eva@example.com staff of boekhandel
      Then eva@example.com is an owner at bakkerij, and staff at boekhandel
      When eva@example.com calls boekhandel "De Molen"
      Then that is refused to staff

    Scenario: A shop of somebody else
      Given the shop boekhandel with an API key
      When eva@example.com calls boekhandel "De Molen"
      Then that is refused, as if there were no such shop

    Scenario: Another shop's invitation
      Given the shop boekhandel with an API key
      And boekhandel has reported order 2001 of bob@example.com
      When eva@example.com cancels the invitation of bakkerij
      Then that is refused, as if there were no such invitation

  # Spec: §10.6
  Rule: What is hard to undo needs a sign-in within 15 minutes

    Scenario Outline: An owner <does>, <when> after signing in
      When it is <time>
      And eva@example.com <does>
      Then <outcome>

      Examples:
        | does                                       | when         | time                | outcome                                    |
        | calls bakkerij "De Molen"                  | just in time | 2026-03-01 12:14:59 | that is done                               |
        | makes tom@example.com an owner of bakkerij | 15 minutes   | 2026-03-01 12:15    | that is refused, as the sign-in is too old |
        | removes eva@example.com from bakkerij      | 15 minutes   | 2026-03-01 12:15    | that is refused, as the sign-in is too old |
        | removes tom@example.com from bakkerij      | 15 minutes   | 2026-03-01 12:15    | that is done                               |
        | makes a key for bakkerij                   | 15 minutes   | 2026-03-01 12:15    | that is refused, as the sign-in is too old |
        | revokes a key of bakkerij                  | just in time | 2026-03-01 12:14:59 | that is done                               |
        | revokes a key of bakkerij                  | 15 minutes   | 2026-03-01 12:15    | that is refused, as the sign-in is too old |
        | calls bakkerij "De Molen"                  | 15 minutes   | 2026-03-01 12:15    | that is refused, as the sign-in is too old |
        | sets the delay of bakkerij to 3 days       | 15 minutes   | 2026-03-01 12:15    | that is done                               |

    Scenario Outline: An owner makes the first key of a shop, <when> after the first sign-in
      Given the shop schoenwinkel
      And bob@example.com is an owner of schoenwinkel, and signed in
      When it is <time>
      And bob@example.com makes a key for schoenwinkel
      Then <outcome>

      Examples:
        | when         | time                | outcome                                    |
        | just in time | 2026-03-01 12:59:59 | that is done                               |
        | an hour      | 2026-03-01 13:00    | that is refused, as the sign-in is too old |

    Scenario: An owner makes a second key of a shop, half an hour after the first sign-in
      Given the shop schoenwinkel
      And bob@example.com is an owner of schoenwinkel, and signed in
      When it is 2026-03-01 12:30
      And bob@example.com makes a key for schoenwinkel
      And bob@example.com makes a key for schoenwinkel
      Then that is refused, as the sign-in is too old

    Scenario: Two owners, of whom one would make the other staff
      When eva@example.com makes tom@example.com an owner of bakkerij
      And it is 2026-03-01 12:15
      And tom@example.com makes eva@example.com staff of bakkerij
      Then that is refused, as the sign-in is too old

  # Spec: §10.6
  Rule: All owners get an e-mail, and so does whoever it concerns

    Scenario Outline: Others hear that an owner <does>
      Given the operator has made ann@example.com an owner of bakkerij
      When eva@example.com <does>
      And the worker runs
      Then the last e-mail to ann@example.com says "<owners>"
      And the last e-mail to eva@example.com says "<owners>"
      And the last e-mail to tom@example.com says "<concerned>"

      Examples:
        | does                                       | owners                                            | concerned                                              |
        | removes tom@example.com from bakkerij      | tom@example.com is geen teamlid meer van Bakkerij | U hebt geen toegang meer tot het dashboard van Bakkerij |
        | makes tom@example.com an owner of bakkerij | tom@example.com is nu eigenaar van Bakkerij       | U bent nu eigenaar van Bakkerij                        |

    Scenario: A key is revoked
      Given the operator has made ann@example.com an owner of bakkerij
      When eva@example.com revokes a key of bakkerij
      And the worker runs
      Then the last e-mail to ann@example.com says "Er is een API-sleutel van Bakkerij ingetrokken"

  # Spec: §10.8
  Rule: A restored backup gives nobody back what was taken

    @file
    Scenario: A member who was removed
      When the operator backs up the database
      And eva@example.com removes tom@example.com from bakkerij
      And the operator restores the backup
      Then the only member of bakkerij is the owner eva@example.com
