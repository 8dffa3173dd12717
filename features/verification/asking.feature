Feature: Anyone may verify a shop
  Whoever wants to know whether a shop has the trust mark asks the service, without a key. The answer is signed, so that
  it can be shown to others, and it says since when and until when it holds.

  Background:
    Given it is 2026-03-01 12:00:41
    And the shop bakkerij with an API key
    And shop.example.nl is a verified host of bakkerij

  # Spec: §4.4, §3 (Trust mark)
  Rule: The answer says what there is to say of the shop, good or bad

    Scenario Outline: With the mark <mark>
      Given bakkerij's trust mark is <mark>
      When someone verifies bakkerij
      Then bakkerij is <said>
      And the signature is good

      Examples:
        | mark    | said       |
        | absent  | unverified |
        | granted | trusted    |
        | revoked | revoked    |

    Scenario: Of an inactive shop it says just that
      Given bakkerij's trust mark is granted
      And bakkerij is not active
      When someone verifies bakkerij
      Then bakkerij is inactive
      And the signature is good

    Scenario: It names the shop and its hosts
      Given bakkerij is called "Bakkerij De Molen"
      When someone verifies bakkerij
      Then the statement names "Bakkerij De Molen" and shop.example.nl

  # Spec: §2 (Statement)
  Rule: It holds for 10 minutes from the minute it was asked for

    Scenario: It is of the whole minute
      When someone verifies bakkerij
      Then the statement holds from 2026-03-01 12:00 to 2026-03-01 12:10

    Scenario: After them it is good no more
      Given bakkerij's trust mark is granted
      When someone verifies bakkerij
      And it is 2026-03-01 12:09:59
      Then the signature is good
      When it is 2026-03-01 12:10
      Then the statement has expired

  # Spec: §4.4
  Rule: Of a shop that is not known nothing is said

    Scenario: It is refused
      When someone verifies nobody
      Then the verification is refused, because the shop is not known
