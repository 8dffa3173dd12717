@http
Feature: Metrics for the operator's monitoring
  Prometheus reads how the service fares; nobody else does, unless the operator lets them.

  # Spec: §4 (Operator)
  Rule: There are none unless the operator asks for them

    Scenario: Nothing was set
      When a monitoring program asks for the metrics with the token "0123456789abcdef"
      Then it gets the status 404

  # Spec: §4 (Operator)
  Rule: On the service's own port, they are for those who have the token

    Scenario Outline: <who>
      Given the operator has set the token "0123456789abcdef" for metrics
      When a monitoring program asks for the metrics with the token "<token>"
      Then it gets the status <status>

      Examples:
        | who                  | token            | status |
        | The operator's own   | 0123456789abcdef | 200    |
        | One with a wrong one | fedcba9876543210 | 401    |

    Scenario: What it learns
      Given the operator has set the token "0123456789abcdef" for metrics
      And the shop bakkerij with an API key
      When bakkerij reports order 1001 of anna@example.com
      And bakkerij reports it again
      And a monitoring program asks for the metrics with the token "0123456789abcdef"
      Then the metrics count 1 order as created and 1 as duplicate
      And no metric names bakkerij or anna@example.com

  # Spec: §4 (Operator)
  Rule: A port of its own needs no token

    Scenario: A port was set
      Given the operator has set a port for metrics
      When a monitoring program asks that port for the metrics
      Then it gets the status 200
