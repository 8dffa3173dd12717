@cli
Feature: Starting the service on the command line
  What an operator has set by mistake is said at once, not found by a customer.

  # Spec: §8 (Settings)
  Rule: Links that lead elsewhere are reported

    Scenario: The links lead to another port
      Given its pages are at http://127.0.0.1:9
      When the operator starts `reviewinvite serve --port 0`
      Then it adds "base_url leads to 127.0.0.1:9, but this process listens on 127.0.0.1:"

    Scenario: Nothing was set, so the links fit
      When the operator starts `reviewinvite serve --port 0`
      Then it says of its links only that other commands do not know the port
