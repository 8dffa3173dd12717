"""One report of a browser: what is checked first gives the answer, and each limit counts exactly. Spec: §4.2, §8."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from tests.core.usecases.harness import AppHarness, done
from tests.units import group_commit_of, unit_of
from tests.waiting import run_concurrently

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.limits import MINUTE, Crossing, LimitKey, day_of
from reviewinvite_core.domain.orders import Reported, SnippetReport
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.refusals import LimitReached, OriginForeign, ShopInactive, ShopUnknown
from reviewinvite_core.domain.shop import ShopChanges, SiteId
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON, a_shop, an_order_report
from reviewinvite_core.usecases.invitations.read import InvitationQuery, InvitationRecord
from reviewinvite_core.usecases.orders.report import report_order
from reviewinvite_core.usecases.orders.snippet import Acknowledged, DayOfSnippets, SnippetAnswer, report_snippet

OWN = "https://shop.nl"
HOME = ClientAddress("203.0.113.9")
SNIPPET_QUOTA = LimitKey(1, "snippets")
AT_ONCE = 64


class SnippetHarness(AppHarness):
    """The shop `bakkerij-1` with the verified host `shop.nl`, to which browsers report orders."""

    def __init__(self, *, storage: Storage | None = None, **settings: Any) -> None:
        super().__init__(storage=storage, **settings)
        self.add_verified_host("bakkerij-1", "shop.nl")

    def add_verified_host(self, site_id: str, host: str) -> None:
        accepted(self.app.domains.add(site_id, host, assume_verified=True))

    def report_snippet(
        self,
        email: str = "anna@example.com",
        *,
        client: ClientAddress = HOME,
        origin: str | None = OWN,
        site: str = "bakkerij-1",
        **fields: Any,
    ) -> SnippetAnswer:
        return self.app.orders.report_from_snippet(client, origin, a_report(email, site=site, **fields))

    def charge(self, client: ClientAddress = HOME) -> LimitReached | None:
        return self.app.orders.charge_client(client)

    @property
    def records(self) -> Sequence[InvitationRecord]:
        return accepted(self.app.invitations.list(OPERATOR, InvitationQuery(limit=10_000))).invitations

    @property
    def order_numbers(self) -> list[str]:
        """The order numbers of all invitations, sorted."""
        return sorted(record.invitation.order_number or "" for record in self.records)

    @property
    def counted(self) -> int:
        """How many the shop's ceiling has counted today."""
        today = day_of(self.clock.now())
        return sum(self.in_transaction(lambda store: store.daily_counters.counted([SNIPPET_QUOTA], today)).values())

    def report_in_one_batch(self, *asked: tuple[ClientAddress, str | None, SnippetReport]) -> list[SnippetAnswer]:
        """Report in one batch, and return the answers."""
        outcomes = self.storage.run_all([unit_of(self.app, report_snippet, *each) for each in asked])
        return [done(outcome) for outcome in outcomes]

    def room_for(self, client: ClientAddress = HOME) -> int:
        """Use up the client's limit, and return how many requests that took."""
        left = 0
        while not isinstance(self.charge(client), LimitReached):
            left += 1
        return left


def a_report(email: str = "anna@example.com", *, site: str = "bakkerij-1", **fields: Any) -> SnippetReport:
    return SnippetReport(site_id=SiteId(site), order=an_order_report(email, **fields))


def customer(number: int) -> ClientAddress:
    return ClientAddress(f"198.51.{number // 256}.{number % 256}")


def refused(until: datetime, at: datetime = NOON) -> LimitReached:
    return LimitReached(asked_at=at, retry_at=until)


# Each client's share of the shop's day, and what is said of the day.


def test_refused_reports_take_nothing_from_the_share() -> None:
    harness = SnippetHarness(snippets_per_minute=0, snippets_per_day=1, snippets_per_client_day=1)
    for _ in range(40):
        harness.charge()
        harness.report_snippet(origin="https://evil.nl")
    assert harness.report_snippet() == Acknowledged()
    for _ in range(40):
        assert isinstance(harness.report_snippet(), LimitReached)  # the shop's day is full
    harness.clock.set(datetime(2026, 3, 3, tzinfo=UTC))
    assert [harness.report_snippet() for _ in range(31)] == [Acknowledged()] * 30 + [
        refused(datetime(2026, 3, 4, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC))
    ]


def test_without_a_share_a_client_may_use_the_whole_day() -> None:
    harness = SnippetHarness(snippets_per_minute=0, snippets_per_client_day=0)
    assert {harness.report_snippet() for _ in range(300)} == {Acknowledged()}


def test_a_batch_of_many_clients_holds_each_to_its_share(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage, snippets_per_minute=0, snippets_per_client_day=1)
    for _ in range(30):
        harness.report_snippet(client=customer(3))
    answers = harness.report_in_one_batch(
        *[(customer(number), OWN, a_report(f"{number}@example.com")) for number in range(6)]
    )
    assert [isinstance(each, LimitReached) for each in answers] == [number == 3 for number in range(6)]


def test_the_networks_of_one_provider_s_customer_have_one_share_within_a_batch(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage, snippets_per_minute=0, snippets_per_client_day=30)
    networks = [ClientAddress.of(ip_address(f"2001:db8:1:2{number:02x}::1")) for number in range(32)]
    requests = [(each, OWN, a_report(f"{number}@example.com")) for number, each in enumerate(networks)]
    answers = harness.report_in_one_batch(*requests)
    assert [isinstance(each, LimitReached) for each in answers] == [False] * 30 + [True] * 2


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_of_the_new_orders_of_a_day_one_crosses_each_share_of_the_ceiling(
    at_once: int, concurrent_storage: Storage
) -> None:
    harness = SnippetHarness(storage=concurrent_storage, snippets_per_day=10)
    told: list[Crossing] = []
    for start in range(0, 10, at_once):
        batch = [(customer(nth), OWN, a_report(f"{nth}@example.com")) for nth in range(start, start + at_once)]
        for answer in [*harness.report_in_one_batch(*batch), *harness.report_in_one_batch(batch[0])]:
            told += answer.crossed if isinstance(answer, Acknowledged) else ()
        if harness.counted in (4, 8):
            assert len(told) == harness.counted // 5
    assert told == [Crossing(50, 10), Crossing(90, 10)]


def test_the_days_new_orders_are_shown_with_the_ceiling() -> None:
    for limit, shown in ((9, 9), (0, None)):
        harness = SnippetHarness(snippets_per_day=limit)
        for _ in range(2):
            harness.report_snippet()
        assert harness.app.orders.show_snippets("bakkerij-1") == DayOfSnippets(counted=1, limit=shown)
        assert harness.app.orders.show_snippets("nobody") == ShopUnknown("nobody")
        harness.clock.set(datetime(2026, 3, 3, tzinfo=UTC))
        assert harness.app.orders.show_snippets("bakkerij-1") == DayOfSnippets(counted=0, limit=shown)


# The order of the checks, and what each refusal takes.


def test_the_limit_of_the_client_is_judged_first_and_a_request_that_it_refuses_takes_nothing() -> None:
    harness = SnippetHarness(snippets_per_minute=2)
    assert [harness.report_snippet(order_number=str(number)) for number in range(2)] == [Acknowledged()] * 2
    full = refused(NOON + MINUTE)
    for origin, site in ((OWN, "bakkerij-1"), (None, "bakkerij-1"), (OWN, "nobody")):
        assert harness.report_snippet(origin=origin, site=site) == full
    assert harness.charge() == full
    assert (len(harness.records), harness.counted) == (2, 2)
    harness.clock.advance(MINUTE)
    assert harness.room_for() == 2


def test_what_cannot_be_read_takes_from_the_limit_of_the_client() -> None:
    harness = SnippetHarness(snippets_per_minute=3)
    assert harness.charge() is None
    assert (harness.room_for(), harness.counted) == (2, 0)


def test_origin_and_shop_are_judged_before_the_ceiling() -> None:
    harness = SnippetHarness(snippets_per_day=1)
    harness.report_snippet()
    assert harness.report_snippet(origin="https://evil-shop.nl") == OriginForeign()
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    assert harness.report_snippet() == ShopInactive()


# The shop's ceiling.


def test_what_the_ceiling_refuses_takes_from_the_limit_of_the_client() -> None:
    harness = SnippetHarness(snippets_per_day=1, snippets_per_minute=4)
    harness.report_snippet()
    assert isinstance(harness.report_snippet(), LimitReached)
    assert harness.room_for() == 2


# The recipient's cap.


def test_a_clock_that_was_far_ahead_does_not_lose_the_orders_of_an_address_until_it_is_there(
    each_storage: Storage,
) -> None:
    harness = SnippetHarness(storage=each_storage, snippets_per_recipient=1)
    harness.clock.set(NOON + timedelta(days=400))
    harness.report_snippet(order_number="1")
    harness.clock.set(NOON)
    harness.report_snippet(order_number="2")
    harness.report_snippet(order_number="3")
    assert harness.order_numbers == ["1", "2"]


def test_a_clock_that_is_set_back_by_some_hours_gives_nobody_another_invitation(each_storage: Storage) -> None:
    harness = SnippetHarness(storage=each_storage, snippets_per_recipient=1)
    harness.report_snippet(order_number="1")
    harness.clock.set(NOON - timedelta(hours=5))
    harness.report_snippet(order_number="2")
    assert len(harness.records) == 1


def test_another_shop_has_a_cap_of_its_own() -> None:
    harness = SnippetHarness(snippets_per_recipient=1)
    harness.app.shops.add(a_shop("slagerij-2"))
    harness.add_verified_host("slagerij-2", "slager.nl")
    harness.report_snippet()
    harness.report_snippet(origin="https://slager.nl", site="slagerij-2")
    assert len(harness.records) == 2


def test_all_shops_together_have_a_cap_for_a_person_whatever_the_tag(each_storage: Storage) -> None:
    harness = SnippetHarness(storage=each_storage, snippets_per_person=3)
    for shop in ("slagerij-2", "kaas-3"):
        harness.app.shops.add(a_shop(shop))
        harness.add_verified_host(shop, f"{shop}.nl")
    harness.report_snippet("anna+1@example.com", order_number="1")
    for number in range(3):
        harness.report_snippet(
            "anna@example.com", origin="https://slagerij-2.nl", site="slagerij-2", order_number=f"b{number}"
        )
    harness.report_snippet("Anna+x@example.com", origin="https://kaas-3.nl", site="kaas-3", order_number="c")
    harness.report_snippet("bert@example.com", origin="https://kaas-3.nl", site="kaas-3", order_number="d")
    assert len(harness.records) == 4
    harness.clock.advance(timedelta(hours=24))
    harness.report_snippet("Anna+x@example.com", origin="https://kaas-3.nl", site="kaas-3", order_number="c")
    assert len(harness.records) == 5


def test_an_erased_or_cancelled_invitation_still_counts_toward_the_cap() -> None:
    harness = SnippetHarness(snippets_per_recipient=1)
    harness.report_snippet(order_number="1")
    harness.app.privacy.erase_address("anna@example.com")
    harness.report_snippet(order_number="2")
    assert len(harness.records) == 1


def test_a_full_ceiling_refuses_also_what_the_cap_would_forget() -> None:
    harness = SnippetHarness(snippets_per_recipient=1, snippets_per_day=1)
    harness.report_snippet(order_number="1")
    assert isinstance(harness.report_snippet(order_number="2"), LimitReached)


# Many at once: a batch that runs as one, and races on real threads.


def test_a_batch_gives_each_request_the_answer_it_would_get_alone(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage, snippets_per_minute=1, snippets_per_recipient=1)
    harness.app.shops.add(a_shop("slagerij-2"))
    harness.add_verified_host("slagerij-2", "slager.nl")
    harness.app.shops.update("slagerij-2", ShopChanges(active=False))
    harness.report_snippet("known@example.com", client=customer(0))
    harness.clock.advance(timedelta(seconds=1))
    harness.charge(customer(1))
    answers = harness.report_in_one_batch(
        (customer(1), OWN, a_report("b1@example.com")),
        (customer(2), OWN, a_report("b2@example.com")),
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
        Acknowledged(),
        ShopInactive(),
        OriginForeign(),
        Acknowledged(),
        OriginForeign(),
        OriginForeign(),
        Acknowledged(),
        full,
    ]
    assert len(harness.records) == 3
    assert harness.counted == 3


@pytest.mark.parametrize("room", [0, 1, 3, 7, 8, 20])
def test_a_batch_of_one_shop_at_the_edge_of_its_ceiling_is_decided_one_by_one(
    concurrent_storage: Storage, room: int
) -> None:
    harness = SnippetHarness(storage=concurrent_storage, snippets_per_day=4 + room)
    for number in range(4):
        harness.report_snippet(f"c{number}@example.com", client=customer(number))
    again = [(customer(100 + number), OWN, a_report(f"c{number}@example.com")) for number in range(4)]
    new = [(customer(200 + number), OWN, a_report(f"n{number}@example.com")) for number in range(8)]
    answers = harness.report_in_one_batch(*again, *new)
    known = 4 if room else 0
    assert answers == [Acknowledged()] * known + [refused(datetime(2026, 3, 3, tzinfo=UTC))] * (4 - known) + [
        Acknowledged()
    ] * min(room, 8) + [refused(datetime(2026, 3, 3, tzinfo=UTC))] * (8 - min(room, 8))
    assert harness.counted == len(harness.records) == 4 + min(room, 8)


def test_a_full_shop_in_a_batch_leaves_the_other_its_room(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage, snippets_per_day=2)
    harness.app.shops.add(a_shop("slagerij-2"))
    harness.add_verified_host("slagerij-2", "slager.nl")
    harness.report_snippet("first@example.com")
    one = [(customer(number), OWN, a_report(f"a{number}@example.com")) for number in range(3)]
    other = [
        (customer(10 + number), "https://slager.nl", a_report(f"b{number}@example.com", site="slagerij-2"))
        for number in range(2)
    ]
    full = refused(datetime(2026, 3, 3, tzinfo=UTC))
    mixed = [one[0], other[0], one[1], other[1], one[2]]
    assert harness.report_in_one_batch(*mixed) == [Acknowledged(), Acknowledged(), full, Acknowledged(), full]
    assert len(harness.records) == 4


def race(harness: SnippetHarness, asked: Sequence[tuple[ClientAddress, str | None, SnippetReport]]) -> Counter[str]:
    """Count the answers to as many threads, all released at once; half of them go through a group commit."""
    with closing(group_commit_of(harness.app)) as commits:

        def ask(number: int) -> SnippetAnswer:
            if number % 2:
                return harness.app.orders.report_from_snippet(*asked[number])
            return commits.run(unit_of(harness.app, report_snippet, *asked[number]))

        return Counter(type(answer).__name__ for answer in run_concurrently(len(asked), ask))


def test_64_racers_for_the_last_of_a_clients_limit(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage, snippets_per_minute=30)
    harness.app.shops.add(a_shop("slagerij-2"))
    harness.add_verified_host("slagerij-2", "slager.nl")
    own = [(HOME, OWN, a_report(f"c{number}@example.com")) for number in range(AT_ONCE // 2)]
    other = [
        (HOME, "https://slager.nl", a_report(f"d{number}@example.com", site="slagerij-2"))
        for number in range(AT_ONCE // 2)
    ]
    answers = race(harness, [each for pair in zip(own, other, strict=True) for each in pair])
    assert answers == {"Acknowledged": 30, "LimitReached": 34}
    assert len(harness.records) == 30


def test_64_racers_for_the_last_of_a_shops_ceiling(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage, snippets_per_day=20)
    answers = race(harness, [(customer(number), OWN, a_report(f"c{number}@example.com")) for number in range(AT_ONCE)])
    assert answers == {"Acknowledged": 20, "LimitReached": 44}
    assert harness.counted == len(harness.records) == 20


def test_64_racers_for_the_last_invitation_of_an_address(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage)
    answers = race(harness, [(customer(number), OWN, a_report(order_number=str(number))) for number in range(AT_ONCE)])
    assert answers == {"Acknowledged": AT_ONCE}
    assert harness.counted == len(harness.records) == 3


def test_an_address_has_no_more_than_its_cap_of_one_batch(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage)
    asked = [(customer(number), OWN, a_report(order_number=str(number))) for number in range(8)]
    assert harness.report_in_one_batch(*asked) == [Acknowledged()] * 8
    assert harness.counted == len(harness.records) == 3


def test_64_racers_with_one_order_make_one_invitation(concurrent_storage: Storage) -> None:
    harness = SnippetHarness(storage=concurrent_storage)
    answers = race(harness, [(customer(number), OWN, a_report()) for number in range(AT_ONCE)])
    assert answers == {"Acknowledged": AT_ONCE}
    assert harness.counted == len(harness.records) == 1


def test_browsers_and_the_api_that_race_with_the_same_orders_make_one_invitation_each(
    concurrent_storage: Storage,
) -> None:
    harness = SnippetHarness(storage=concurrent_storage, orders_per_minute=0)
    commits = group_commit_of(harness.app)

    def report(number: int) -> object:
        order = an_order_report(f"c{number // 4}@example.com")
        if number % 2:
            return commits.run(unit_of(harness.app, report_order, harness.key, order))
        return commits.run(
            unit_of(
                harness.app,
                report_snippet,
                customer(number),
                OWN,
                SnippetReport(site_id=SiteId("bakkerij-1"), order=order),
            )
        )

    answers = run_concurrently(32, report)
    commits.close()
    assert len(harness.records) == 8
    by_api = [answer for answer in answers if isinstance(answer, Reported)]
    assert len({answer.invite_id for answer in by_api}) == 8
    assert harness.counted == sum(record.invitation.provenance.source is Source.SNIPPET for record in harness.records)
    assert [answer.duplicate for answer in by_api].count(False) == 8 - harness.counted


# What is forgotten, and what is not told.


def test_a_tally_is_swept_when_its_day_is_long_over_and_not_while_it_binds() -> None:
    harness = SnippetHarness(snippets_per_day=1)
    harness.report_snippet()
    for hours in (0, 11, 12, 35):
        harness.clock.set(NOON + timedelta(hours=hours))
        harness.deliver()
        assert harness.in_transaction(lambda store: store.daily_counters.counted([SNIPPET_QUOTA], NOON.date())) == {
            SNIPPET_QUOTA: 1
        }
    harness.clock.set(NOON + timedelta(hours=36))
    harness.deliver()
    assert harness.in_transaction(lambda store: store.daily_counters.counted([SNIPPET_QUOTA], NOON.date())) == {}


def test_no_tally_is_swept_by_a_clock_that_is_not_believed() -> None:
    now = [0.0]
    harness = SnippetHarness(snippets_per_day=1, monotonic=lambda: now[0])
    harness.report_snippet()
    harness.deliver()
    harness.clock.advance(timedelta(days=400))
    harness.deliver()
    assert harness.in_transaction(lambda store: store.daily_counters.counted([SNIPPET_QUOTA], NOON.date())) == {
        SNIPPET_QUOTA: 1
    }


def test_no_ip_address_is_in_the_database_nor_in_its_backup(sqlite_folder: Path) -> None:
    path = sqlite_folder / "test.db"
    harness = SnippetHarness(storage=SqliteStorage(path))
    told = ("203.0.113.9", "2001:db8:1:2::/64")
    for text in told:
        assert harness.report_snippet(client=ClientAddress(text)) == Acknowledged()
    with closing(sqlite3.connect(path)) as database:
        dump = "\n".join(database.iterdump())
    assert dump.count("snippets:") == 2
    files = b"".join(each.read_bytes() for each in sqlite_folder.iterdir())
    for text in told:
        plain = ip_address(text.partition("/")[0])
        for form in (text.encode(), plain.packed[:8], plain.packed.hex()[:16].encode(), str(int(plain)).encode()):
            assert form not in files
            assert form.decode("latin-1") not in dump
    harness.storage.close()
