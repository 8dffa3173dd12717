"""One report of a browser: what is checked first gives the answer, and each limit counts exactly. Spec: §4.2, §8."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from tests.core.usecases.stage import Play

from reviewinvite_core.adapters.sql.sqlite import SqliteStorage
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import Invalid, LimitReached, OriginForeign, Problem, ShopInactive
from reviewinvite_core.domain.invitations import State
from reviewinvite_core.domain.limits import MINUTE, Subject, day_of
from reviewinvite_core.domain.orders import SnippetReport
from reviewinvite_core.domain.shop import ShopChanges, SiteId
from reviewinvite_core.ports import Done, Storage
from reviewinvite_core.testing.builders import NOON, a_domain, a_shop, an_order_report
from reviewinvite_core.usecases.manage_invitations import InvitationQuery, InvitationRecord
from reviewinvite_core.usecases.report_order import Reported
from reviewinvite_core.usecases.report_snippet import ACKNOWLEDGED, SnippetAnswer

OWN = "https://shop.nl"
INVALID = Invalid(Problem.INVALID_ADDRESS, "email")
NO_LIMITS = {"snippets_per_minute": 0, "snippets_per_day": 0, "snippets_per_recipient": 0}
HOME = ClientAddress("203.0.113.9")
OF_CEILING = Subject(1, "snippets")
AT_ONCE = 64


class Browsers(Play):
    """The shop `bakkerij-1` with the verified host `shop.nl`, and the browsers of its customers."""

    def __init__(self, *, storage: Storage | None = None, **settings: object) -> None:
        super().__init__(storage=storage, **settings)
        self.owns("bakkerij-1", "shop.nl")

    def owns(self, site_id: str, host: str) -> None:
        assert isinstance(self.app.add_domain(site_id, host, assume_verified=True), Domain)

    def tells(
        self,
        email: str = "anna@example.com",
        *,
        client: ClientAddress = HOME,
        origin: str | None = OWN,
        site: str = "bakkerij-1",
        **fields: object,
    ) -> SnippetAnswer:
        return self.app.report_snippet(client, origin, a_report(email, site=site, **fields))

    def tells_nonsense(self, client: ClientAddress = HOME, origin: str | None = OWN) -> SnippetAnswer:
        return self.app.report_snippet(client, origin, INVALID)

    @property
    def records(self) -> Sequence[InvitationRecord]:
        return self.app.list_invitations(InvitationQuery(limit=10_000))

    @property
    def counted(self) -> int:
        """What the shop's ceiling has counted today."""
        today = day_of(self.clock.now())
        return sum(self.inside(lambda store: store.day_tallies.counted([OF_CEILING], today)).values())

    def together(self, *asked: tuple[ClientAddress, str | None, SnippetReport | Invalid]) -> list[SnippetAnswer]:
        """The answers of one batch."""
        outcomes = self.storage.run_all([self.app.report_snippet.unit(*each) for each in asked])
        return [outcome.result for outcome in outcomes if isinstance(outcome, Done)]

    def room_for(self, client: ClientAddress = HOME) -> int:
        """How many more the client's limit takes."""
        left = 0
        while not isinstance(self.tells_nonsense(client), LimitReached):
            left += 1
        return left


def a_report(email: str = "anna@example.com", *, site: str = "bakkerij-1", **fields: object) -> SnippetReport:
    return SnippetReport(site_id=SiteId(site), order=an_order_report(email, **fields))


def customer(number: int) -> ClientAddress:
    return ClientAddress(f"198.51.{number // 256}.{number % 256}")


def refused(until: datetime, at: datetime = NOON) -> LimitReached:
    return LimitReached(asked_at=at, retry_at=until)


def test_a_good_report_schedules_an_invitation_as_the_shop_has_set_it() -> None:
    play = Browsers()
    play.app.set_shop("bakkerij-1", ShopChanges(language="en", delay=2))
    assert play.tells(order_number=" 1001 ") == ACKNOWLEDGED
    (record,) = play.records
    invitation = record.invitation
    assert (invitation.order_number, invitation.language, invitation.by_snippet) == ("1001", "en", True)
    assert (invitation.state, invitation.scheduled_for) == (State.SCHEDULED, NOON + timedelta(days=2))


# The order of the checks, and what each refusal takes.


def test_the_limit_of_the_client_is_judged_first_and_a_request_that_it_refuses_takes_nothing() -> None:
    play = Browsers(snippets_per_minute=2)
    assert [play.tells(order_number=str(number)) for number in range(2)] == [ACKNOWLEDGED] * 2
    full = refused(NOON + MINUTE)
    for origin, site in ((OWN, "bakkerij-1"), (None, "bakkerij-1"), (OWN, "nobody")):
        assert play.tells(origin=origin, site=site) == full
    assert play.tells_nonsense() == full
    assert (len(play.records), play.counted) == (2, 2)
    play.clock.advance(MINUTE)
    assert play.room_for() == 2


def test_the_body_is_judged_before_the_origin_and_takes_from_the_limit_of_the_client() -> None:
    play = Browsers(snippets_per_minute=3)
    assert play.tells_nonsense(origin=None) == INVALID
    assert (play.room_for(), play.counted) == (2, 0)


@pytest.mark.parametrize("active", [True, False])
def test_a_foreign_origin_and_an_unknown_shop_are_refused_alike_whether_the_shop_is_active_or_not(active: bool) -> None:
    play = Browsers(snippets_per_minute=5, snippets_per_day=1)
    play.app.set_shop("bakkerij-1", ShopChanges(active=active))
    assert play.tells(origin="https://evil-shop.nl") == OriginForeign()
    assert play.tells(origin=None) == OriginForeign()
    assert play.tells(site="nobody") == OriginForeign()
    assert (play.room_for(), play.counted, len(play.records)) == (2, 0, 0)


def test_an_inactive_shop_is_named_to_its_own_pages() -> None:
    play = Browsers(snippets_per_minute=3)
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    assert play.tells() == ShopInactive()
    assert (play.room_for(), play.counted, len(play.records)) == (2, 0, 0)


def test_origin_and_shop_are_judged_before_the_ceiling() -> None:
    play = Browsers(snippets_per_day=1)
    play.tells()
    assert play.tells(origin="https://evil-shop.nl") == OriginForeign()
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    assert play.tells() == ShopInactive()


def test_a_host_of_another_shop_is_a_foreign_origin() -> None:
    play = Browsers()
    play.app.add_shop(a_shop("slagerij-2"))
    play.owns("slagerij-2", "slager.nl")
    assert play.tells(origin="https://slager.nl") == OriginForeign()
    assert play.tells(origin="https://slager.nl", site="slagerij-2") == ACKNOWLEDGED


def test_a_host_that_is_not_verified_is_a_foreign_origin() -> None:
    play = Browsers()
    play.inside(lambda store: store.domains.add(a_domain(1, "new.nl")))
    assert play.tells(origin="https://new.nl") == OriginForeign()


@pytest.mark.parametrize("origin", [OWN, "https://www.shop.nl", "https://SHOP.NL", "HTTPS://Www.Shop.Nl"])
def test_the_host_and_www_before_it_are_the_shops_own(origin: str) -> None:
    assert Browsers().tells(origin=origin) == ACKNOWLEDGED


def test_a_host_with_www_is_not_verified_with_another_subdomain_nor_without_it() -> None:
    play = Browsers()
    play.owns("bakkerij-1", "www.winkel.nl")
    assert play.tells(origin="https://www.winkel.nl") == ACKNOWLEDGED
    assert play.tells(origin="https://www.www.winkel.nl") == ACKNOWLEDGED  # the host, and `www.` before it
    for foreign in ("https://winkel.nl", "https://shop.winkel.nl", "https://m.shop.nl"):
        assert play.tells(origin=foreign) == OriginForeign()


# The shop's ceiling.


def test_a_full_ceiling_refuses_new_orders_and_repeats_alike_until_midnight() -> None:
    play = Browsers(snippets_per_day=2)
    assert [play.tells(order_number=number) for number in "12"] == [ACKNOWLEDGED] * 2
    full = refused(datetime(2026, 3, 3, tzinfo=UTC))
    assert play.tells(order_number="1") == full
    assert play.tells(order_number="3") == full
    assert (play.counted, len(play.records)) == (2, 2)


def test_what_the_ceiling_refuses_takes_from_the_limit_of_the_client() -> None:
    play = Browsers(snippets_per_day=1, snippets_per_minute=4)
    play.tells()
    assert isinstance(play.tells(), LimitReached)
    assert play.room_for() == 2


def test_the_ceiling_turns_at_midnight_in_utc_and_not_a_moment_before() -> None:
    play = Browsers(snippets_per_day=1)
    midnight = datetime(2026, 3, 3, tzinfo=UTC)
    play.clock.set(midnight - timedelta(microseconds=2))
    assert play.tells(order_number="1") == ACKNOWLEDGED
    play.clock.set(midnight - timedelta(microseconds=1))
    assert play.tells(order_number="2") == refused(midnight, at=midnight - timedelta(microseconds=1))
    play.clock.set(midnight)
    assert play.tells(order_number="2") == ACKNOWLEDGED
    assert play.tells(order_number="3") == refused(midnight + timedelta(days=1), at=midnight)
    assert len(play.records) == 2


def test_a_repeat_takes_nothing_from_the_ceiling_nor_does_an_order_that_the_api_brought() -> None:
    play = Browsers(snippets_per_day=2)
    play.report(order_number="by api")
    for _ in range(3):
        assert play.tells(order_number="1") == ACKNOWLEDGED
        assert play.tells(order_number="by api") == ACKNOWLEDGED
    assert (play.counted, len(play.records)) == (1, 2)


def test_what_the_api_reports_is_not_counted() -> None:
    play = Browsers(snippets_per_day=1)
    assert [play.report(order_number=number).duplicate for number in "123"] == [False] * 3
    assert play.counted == 0


def test_each_shop_has_a_ceiling_of_its_own() -> None:
    play = Browsers(snippets_per_day=1)
    play.app.add_shop(a_shop("slagerij-2"))
    play.owns("slagerij-2", "slager.nl")
    play.tells()
    assert isinstance(play.tells(), LimitReached)
    assert play.tells(origin="https://slager.nl", site="slagerij-2") == ACKNOWLEDGED


def test_a_suppressed_address_is_a_new_order_like_any_other() -> None:
    play = Browsers()
    play.app.add_suppression("anna@example.com", None)
    assert play.tells() == ACKNOWLEDGED
    assert play.counted == 1
    assert [record.invitation.state for record in play.records] == [State.SUPPRESSED]


# The recipient's cap.


def test_no_more_than_three_invitations_of_one_shop_reach_an_address_in_a_day() -> None:
    play = Browsers(snippets_per_day=10)
    assert [play.tells(order_number=str(number)) for number in range(8)] == [ACKNOWLEDGED] * 8
    assert sorted(record.invitation.order_number for record in play.records) == ["0", "1", "2"]
    assert play.counted == 3


def test_an_address_counts_as_one_customer_however_it_is_written() -> None:
    play = Browsers(snippets_per_recipient=1)
    for email in ("anna@example.com", "Anna@Example.com", "ANNA@EXAMPLE.COM"):
        assert play.tells(email, order_number=email) == ACKNOWLEDGED
    assert len(play.records) == 1


def test_the_cap_slides_by_24_hours() -> None:
    play = Browsers(snippets_per_recipient=2)
    play.tells(order_number="1")
    play.clock.advance(timedelta(hours=10))
    play.tells(order_number="2")
    play.clock.set(NOON + timedelta(hours=24) - timedelta(milliseconds=1))
    play.tells(order_number="3")
    assert len(play.records) == 2
    play.clock.set(NOON + timedelta(hours=24))
    play.tells(order_number="3")
    play.tells(order_number="4")
    assert sorted(record.invitation.order_number for record in play.records) == ["1", "2", "3"]


def test_a_clock_that_was_far_ahead_does_not_lose_the_orders_of_an_address_until_it_is_there(
    each_storage: Storage,
) -> None:
    play = Browsers(storage=each_storage, snippets_per_recipient=1)
    play.clock.set(NOON + timedelta(days=400))
    play.tells(order_number="1")
    play.clock.set(NOON)
    play.tells(order_number="2")
    play.tells(order_number="3")
    assert sorted(record.invitation.order_number for record in play.records) == ["1", "2"]


def test_a_clock_that_is_set_back_by_some_hours_gives_nobody_another_invitation(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage, snippets_per_recipient=1)
    play.tells(order_number="1")
    play.clock.set(NOON - timedelta(hours=5))
    play.tells(order_number="2")
    assert len(play.records) == 1


def test_what_the_cap_forgets_the_api_may_bring_later_and_the_browser_too() -> None:
    play = Browsers(snippets_per_recipient=1)
    play.tells(order_number="1")
    play.tells(order_number="2")
    assert play.report(order_number="2").duplicate is False
    play.tells(order_number="3")
    play.clock.advance(timedelta(days=1))
    play.tells(order_number="3")
    assert len(play.records) == 3


def test_the_api_is_under_no_cap_and_what_it_brings_does_not_count_toward_it() -> None:
    play = Browsers(snippets_per_recipient=1)
    for number in range(5):
        play.report(order_number=str(number))
    play.tells(order_number="by browser")
    assert len(play.records) == 6


def test_another_shop_has_a_cap_of_its_own() -> None:
    play = Browsers(snippets_per_recipient=1)
    play.app.add_shop(a_shop("slagerij-2"))
    play.owns("slagerij-2", "slager.nl")
    play.tells()
    play.tells(origin="https://slager.nl", site="slagerij-2")
    assert len(play.records) == 2


def test_an_erased_or_cancelled_invitation_still_counts_toward_the_cap() -> None:
    play = Browsers(snippets_per_recipient=1)
    play.tells(order_number="1")
    play.app.erase_address("anna@example.com")
    play.tells(order_number="2")
    assert len(play.records) == 1


def test_a_full_ceiling_refuses_also_what_the_cap_would_forget() -> None:
    play = Browsers(snippets_per_recipient=1, snippets_per_day=1)
    play.tells(order_number="1")
    assert isinstance(play.tells(order_number="2"), LimitReached)


def test_500_addresses_that_bomb_one_victim_make_three_invitations() -> None:
    play = Browsers()
    answers = [play.tells("victim@example.com", client=customer(n), order_number=str(n)) for n in range(500)]
    assert answers == [ACKNOWLEDGED] * 500
    assert len(play.records) == 3


# Each limit can be switched off.


def test_0_switches_each_limit_off() -> None:
    play = Browsers(**NO_LIMITS)
    for number in range(40):
        assert play.tells(order_number=str(number)) == ACKNOWLEDGED
    assert (len(play.records), play.counted) == (40, 0)


# One order, two ways.


def test_an_order_that_both_the_api_and_a_browser_report_has_one_invitation_whichever_comes_first() -> None:
    play = Browsers()
    first = play.report(order_number="1")
    play.tells(order_number="1")
    play.tells(order_number="2")
    assert play.report(order_number="2", language="en", delay=1).duplicate is True
    assert len(play.records) == 2
    by_number = {record.invitation.order_number: record.invitation for record in play.records}
    assert (by_number["1"].invite_id, by_number["1"].by_snippet) == (first.invite_id, False)
    assert (by_number["2"].language, by_number["2"].by_snippet) == ("nl", True)


# Many at once: a batch that runs as one, and races on real threads.


def test_a_batch_gives_each_request_the_answer_it_would_get_alone(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage, snippets_per_minute=1, snippets_per_recipient=1)
    play.app.add_shop(a_shop("slagerij-2"))
    play.owns("slagerij-2", "slager.nl")
    play.app.set_shop("slagerij-2", ShopChanges(active=False))
    play.tells("known@example.com", client=customer(0))
    play.clock.advance(timedelta(seconds=1))
    play.tells_nonsense(client=customer(1))
    answers = play.together(
        (customer(1), OWN, a_report("b1@example.com")),
        (customer(2), OWN, a_report("b2@example.com")),
        (customer(3), OWN, INVALID),
        (customer(4), "https://slager.nl", a_report("b4@example.com", site="slagerij-2")),
        (customer(5), None, a_report("b5@example.com")),
        (customer(6), OWN, a_report("known@example.com", order_number="another")),
        (customer(7), OWN, a_report("b7@example.com", site="nobody")),
        (customer(8), "https://slager.nl", a_report("b8@example.com")),
        (customer(9), OWN, a_report("b9@example.com")),
        (customer(2), OWN, a_report("b10@example.com")),
    )
    full = refused(NOON + MINUTE + timedelta(seconds=1), at=NOON + timedelta(seconds=1))
    assert answers == [
        full,
        ACKNOWLEDGED,
        INVALID,
        ShopInactive(),
        OriginForeign(),
        ACKNOWLEDGED,
        OriginForeign(),
        OriginForeign(),
        ACKNOWLEDGED,
        full,
    ]
    assert len(play.records) == 3
    assert play.counted == 3


@pytest.mark.parametrize("room", [0, 1, 3, 7, 8, 20])
def test_a_batch_of_one_shop_at_the_edge_of_its_ceiling_is_decided_one_by_one(each_storage: Storage, room: int) -> None:
    play = Browsers(storage=each_storage, snippets_per_day=4 + room)
    for number in range(4):
        play.tells(f"c{number}@example.com", client=customer(number))
    again = [(customer(100 + number), OWN, a_report(f"c{number}@example.com")) for number in range(4)]
    new = [(customer(200 + number), OWN, a_report(f"n{number}@example.com")) for number in range(8)]
    answers = play.together(*again, *new)
    known = 4 if room else 0
    assert answers == [ACKNOWLEDGED] * known + [refused(datetime(2026, 3, 3, tzinfo=UTC))] * (4 - known) + [
        ACKNOWLEDGED
    ] * min(room, 8) + [refused(datetime(2026, 3, 3, tzinfo=UTC))] * (8 - min(room, 8))
    assert play.counted == len(play.records) == 4 + min(room, 8)


def test_a_full_shop_in_a_batch_leaves_the_other_its_room(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage, snippets_per_day=2)
    play.app.add_shop(a_shop("slagerij-2"))
    play.owns("slagerij-2", "slager.nl")
    play.tells("first@example.com")
    one = [(customer(number), OWN, a_report(f"a{number}@example.com")) for number in range(3)]
    other = [
        (customer(10 + number), "https://slager.nl", a_report(f"b{number}@example.com", site="slagerij-2"))
        for number in range(2)
    ]
    full = refused(datetime(2026, 3, 3, tzinfo=UTC))
    mixed = [one[0], other[0], one[1], other[1], one[2]]
    assert play.together(*mixed) == [ACKNOWLEDGED, ACKNOWLEDGED, full, ACKNOWLEDGED, full]
    assert len(play.records) == 4


def race(play: Browsers, asked: Sequence[tuple[ClientAddress, str | None, SnippetReport | Invalid]]) -> Counter[str]:
    """What so many threads are told that all ask at the same moment, half of them through a group commit."""
    gate = threading.Barrier(len(asked))
    commits = play.app.group_commit()

    def ask(number: int) -> SnippetAnswer:
        gate.wait()
        if number % 2:
            return play.app.report_snippet(*asked[number])
        return commits.run(play.app.report_snippet.unit(*asked[number]))

    try:
        with ThreadPoolExecutor(len(asked)) as threads:
            return Counter(type(answer).__name__ for answer in threads.map(ask, range(len(asked))))
    finally:
        commits.close()


def test_64_racers_for_the_last_of_a_clients_limit(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage, snippets_per_minute=30)
    play.app.add_shop(a_shop("slagerij-2"))
    play.owns("slagerij-2", "slager.nl")
    own = [(HOME, OWN, a_report(f"c{number}@example.com")) for number in range(AT_ONCE // 2)]
    other = [
        (HOME, "https://slager.nl", a_report(f"d{number}@example.com", site="slagerij-2"))
        for number in range(AT_ONCE // 2)
    ]
    told = race(play, [each for pair in zip(own, other, strict=True) for each in pair])
    assert told == {"Acknowledged": 30, "LimitReached": 34}
    assert len(play.records) == 30


def test_64_racers_for_the_last_of_a_shops_ceiling(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage, snippets_per_day=20)
    told = race(play, [(customer(number), OWN, a_report(f"c{number}@example.com")) for number in range(AT_ONCE)])
    assert told == {"Acknowledged": 20, "LimitReached": 44}
    assert play.counted == len(play.records) == 20


def test_64_racers_for_the_last_invitation_of_an_address(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage)
    told = race(play, [(customer(number), OWN, a_report(order_number=str(number))) for number in range(AT_ONCE)])
    assert told == {"Acknowledged": AT_ONCE}
    assert play.counted == len(play.records) == 3


def test_an_address_has_no_more_than_its_cap_of_one_batch(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage)
    asked = [(customer(number), OWN, a_report(order_number=str(number))) for number in range(8)]
    assert play.together(*asked) == [ACKNOWLEDGED] * 8
    assert play.counted == len(play.records) == 3


def test_64_racers_with_one_order_make_one_invitation(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage)
    told = race(play, [(customer(number), OWN, a_report()) for number in range(AT_ONCE)])
    assert told == {"Acknowledged": AT_ONCE}
    assert play.counted == len(play.records) == 1


def test_browsers_and_the_api_that_race_with_the_same_orders_make_one_invitation_each(each_storage: Storage) -> None:
    play = Browsers(storage=each_storage, orders_per_minute=0)
    gate = threading.Barrier(32)
    commits = play.app.group_commit()

    def report(number: int) -> object:
        order = an_order_report(f"c{number // 4}@example.com")
        gate.wait()
        if number % 2:
            return commits.run(play.app.receive_order.unit(play.key, order))
        return commits.run(
            play.app.report_snippet.unit(
                customer(number), OWN, SnippetReport(site_id=SiteId("bakkerij-1"), order=order)
            )
        )

    with ThreadPoolExecutor(32) as threads:
        told = list(threads.map(report, range(32)))
    commits.close()
    assert len(play.records) == 8
    by_api = [answer for answer in told if isinstance(answer, Reported)]
    assert len({answer.invite_id for answer in by_api}) == 8
    assert play.counted == sum(record.invitation.by_snippet for record in play.records)
    assert [answer.duplicate for answer in by_api].count(False) == 8 - play.counted


# What is forgotten, and what is not told.


def test_a_tally_is_swept_when_its_day_is_long_over_and_not_while_it_binds() -> None:
    play = Browsers(snippets_per_day=1)
    play.tells()
    for hours in (0, 11, 12, 35):
        play.clock.set(NOON + timedelta(hours=hours))
        play.deliver()
        assert play.inside(lambda store: store.day_tallies.counted([OF_CEILING], NOON.date())) == {OF_CEILING: 1}
    play.clock.set(NOON + timedelta(hours=36))
    play.deliver()
    assert play.inside(lambda store: store.day_tallies.counted([OF_CEILING], NOON.date())) == {}


def test_no_tally_is_swept_by_a_clock_that_is_not_believed() -> None:
    now = [0.0]
    play = Browsers(snippets_per_day=1, pace=lambda: now[0])
    play.tells()
    play.deliver()
    play.clock.advance(timedelta(days=400))
    play.deliver()
    assert play.inside(lambda store: store.day_tallies.counted([OF_CEILING], NOON.date())) == {OF_CEILING: 1}


def test_no_ip_address_is_in_the_database_nor_in_its_backup(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    play = Browsers(storage=SqliteStorage(path))
    told = ("203.0.113.9", "2001:db8:1:2::/64")
    for text in told:
        assert play.tells(client=ClientAddress(text)) == ACKNOWLEDGED
    with closing(sqlite3.connect(path)) as database:
        dump = "\n".join(database.iterdump())
    assert dump.count("snippets:") == 2
    files = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    for text in told:
        plain = ip_address(text.partition("/")[0])
        for form in (text.encode(), plain.packed[:8], plain.packed.hex()[:16].encode(), str(int(plain)).encode()):
            assert form not in files
            assert form.decode("latin-1") not in dump
    play.storage.close()
