@http
Feature: Who runs the service
  Its own address says so to people, and programs find what they look for at the usual addresses.

  Background:
    Given the service is run by "Molen & Zoon B.V.", who are reached at hallo@example.com

  # Spec: §4 (Operator)
  Rule: People learn who runs it, and how to reach them

    Scenario: A customer wonders who sent the e-mail
      When someone opens the service's own address
      Then the page names "Molen & Zoon B.V."
      And the page leads to mailto:hallo@example.com

    Scenario: A visitor wonders who publishes the reviews
      Given the shop bakkerij with an API key
      When someone opens the page of bakkerij to find out who runs the service
      Then the page leads to mailto:hallo@example.com

  # Spec: §4 (Other addresses)
  Rule: Programs are answered at the usual addresses

    Scenario Outline: <program>
      When a program asks for <address>
      Then it gets <type> with the line "<line>"

      Examples:
        | program               | address                   | type       | line                              |
        | A search engine       | /robots.txt               | text/plain | Disallow: /r/                     |
        | A security researcher | /.well-known/security.txt | text/plain | Contact: mailto:hallo@example.com |

    Scenario: A browser
      When a program asks for /favicon.ico
      Then it gets an icon
