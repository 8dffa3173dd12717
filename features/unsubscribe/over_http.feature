@http
Feature: Opting out over HTTP
  `GET /u/<token>` is a page with buttons; `POST /u/<token>` opts out. Neither needs a cookie or a script.

  Background:
    Given it is 2026-03-01 12:00
    And the shop bakkerij with an API key
    And bakkerij has reported order 1001 of anna@example.com

  # Spec: §6 (Links)
  Rule: The one click of a mail program opts out of the shop (RFC 8058)

    Scenario Outline: Both forms of it
      When the mail program of anna@example.com opts out in one click as <type>
      Then the page is answered with 200
      And the invitation is suppressed

      Examples:
        | type                              |
        | application/x-www-form-urlencoded |
        | multipart/form-data               |

  # Spec: §6 (Links)
  Rule: What is asked for with GET or HEAD changes nothing

    Scenario Outline: Each of them
      When somebody asks for anna@example.com's link with <method>
      Then the page is answered with 200
      And the invitation is scheduled

      Examples:
        | method |
        | GET    |
        | HEAD   |

  # Spec: §4, §7
  Rule: Errors of the page are pages

    Scenario: An invalid link
      When somebody opens a link to opt out that lacks its end
      Then there is no such page
