"""Claims: their tokens, their leases, and where a search goes on."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from tests.core.usecases.harness import LEASE, AppHarness, Killed, MailScript, invitation_of, kill, present

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.ports import Letter
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.delivery.claim import claim_due

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


def test_what_was_claimed_by_a_clock_that_was_ahead_is_not_held_until_then() -> None:
    harness = AppHarness(MailScript(while_staged=kill))
    invite_id = harness.report_due()
    harness.clock.advance(30 * DAY)
    with pytest.raises(Killed):
        harness.deliver()
    harness.clock.advance(-30 * DAY)
    harness.deliver()
    assert harness.invitation(invite_id).state is State.SENT


def take(harness: AppHarness, most: int, since: datetime | None) -> tuple[list[timedelta], datetime | None]:
    """Claim invitations; return how long ago each was to be sent, and where the next search begins."""
    taken = harness.transactions.run(
        lambda work: claim_due(work, "http://127.0.0.1", most, since=since, high_water_mark=None)
    )
    return [harness.clock.now() - invitation_of(each.item).scheduled_for for each in taken.assignments], taken.since


def test_a_search_goes_on_where_the_last_one_ended() -> None:
    harness = AppHarness()
    for number in range(4):
        harness.report(f"c{number}@example.com", order_number=str(number), delay_days=number)
    harness.clock.advance(3 * DAY)
    taken, since = take(harness, 2, None)
    assert (taken, since) == ([3 * DAY, 2 * DAY], harness.clock.now() - 2 * DAY)
    taken, since = take(harness, 3, since)
    assert (taken, since) == ([DAY, 0 * DAY], harness.clock.now() - 60 * SECOND)
    harness.report_due(order_number="late")
    harness.clock.advance(59 * SECOND)
    taken, since = take(harness, 1, since)
    assert taken == [59 * SECOND]
    harness.clock.advance(-HOUR)  # a clock that was wrong
    harness.report_due(order_number="by the wrong clock")
    harness.clock.advance(59 * SECOND)
    assert take(harness, 1, since)[0] == [59 * SECOND]


def test_an_old_search_still_finds_nothing_that_is_overdue() -> None:
    harness = AppHarness()
    harness.report_due()
    since = harness.clock.now() - DAY
    harness.clock.advance(60 * DAY + SECOND)
    assert take(harness, 1, since)[0] == []


def test_a_claim_carries_a_token_of_its_own_and_the_lease() -> None:
    claims: list[Claim] = []
    harness = AppHarness(
        MailScript(while_staged=lambda: claims.append(present(harness.invitation(ids[0]).claim))),
        MailScript(while_staged=lambda: claims.append(present(harness.invitation(ids[1]).claim))),
    )
    ids = [harness.report_due(f"c{number}@example.com") for number in range(2)]
    harness.deliver()
    assert claims[0].token != claims[1].token
    assert {len(claim.token) for claim in claims} == {16}
    assert {claim.lease_until for claim in claims} == {harness.clock.now() + LEASE}


def test_many_are_claimed_at_once_each_with_a_letter_from_its_own_shop() -> None:
    harness = AppHarness()
    harness.app.shops.add(a_shop("slagerij-2", name="Slagerij"))
    bought = {f"c{number}@example.com": number % 2 for number in range(100)}
    sites, names = ("bakkerij-1", "slagerij-2"), ("Bakkerij De Molen", "Slagerij")
    ids = {harness.report_due(email, site_id=sites[shop]): email for email, shop in bought.items()}
    erased = next(iter(ids))
    harness.in_transaction(lambda store: store.invitations.forget_address(harness.invitation(erased)))

    taken = harness.transactions.run(
        lambda work: claim_due(work, "http://127.0.0.1", 100, since=None, high_water_mark=None)
    )

    claimed = [invitation_of(each.item) for each in taken.assignments]
    letters = dict(zip((each.invite_id for each in claimed), (each.letter for each in taken.assignments), strict=True))
    assert letters.pop(erased) is None
    assert {
        key: (letter.recipient, letter.shop_name) for key, letter in letters.items() if isinstance(letter, Letter)
    } == {key: (email, names[bought[email]]) for key, email in ids.items() if key != erased}
    assert [harness.invitation(each.invite_id) for each in claimed] == claimed
    assert len({present(each.claim).token for each in claimed}) == 100
