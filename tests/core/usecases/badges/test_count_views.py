"""Views of badge and verification: one counter a shop and day, exact, and durable. Spec: §8."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import attrs
import pytest
from tests.builders import a_domain
from tests.core.usecases.harness import AppHarness, done
from tests.units import group_commit_of, unit_of
from tests.waiting import run_concurrently

from reviewinvite_core import accepted
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.limits import Crossing
from reviewinvite_core.domain.refusals import LimitReached, ShopUnknown
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.domain.trust_mark import Status, TrustMark
from reviewinvite_core.domain.views import CountMode
from reviewinvite_core.ports import Done, LockedUnit, Storage
from reviewinvite_core.testing.builders import NOON, a_shop
from reviewinvite_core.usecases.badges import BadgeAnswer, BadgeHidden, BadgeShown, DayOfViews, WhyHidden, show_badge
from reviewinvite_core.usecases.trust_marks import Form, Verified, VerifyAnswer, verify_trust_mark

SITE = "bakkerij-1"
HOST = "shop.example.nl"
OWN = f"https://{HOST}/"
MIDNIGHT = datetime(2026, 3, 3, tzinfo=UTC)
AT_ONCE = 64
HERE = ClientAddress("203.0.113.9")
THERE = ClientAddress("2001:db8:1:2::/64")


class ViewHarness(AppHarness):
    """The shop `bakkerij-1` with a verified host, whose badge is shown and whose trust mark is verified."""

    def __init__(self, *, storage: Storage | None = None, **settings: Any) -> None:
        super().__init__(storage=storage, **settings)
        self.in_transaction(lambda store: store.domains.add(a_domain(1, HOST, verified_at=NOON, vouched=True)))

    def close(self) -> None:
        self.app.close()

    def show_badge(
        self,
        site: str = SITE,
        referer: str | None = OWN,
        count_mode: CountMode = CountMode.COUNT,
        client: ClientAddress | None = None,
    ) -> BadgeAnswer:
        return self.app.badges.show(site, referer, count_mode, client)

    def verify(
        self,
        site: str = SITE,
        form: Form = Form.JSON,
        count_mode: CountMode = CountMode.COUNT,
        client: ClientAddress | None = None,
    ) -> VerifyAnswer:
        return self.app.trust_marks.verify(site, form, count_mode, client)

    def set_trust_mark(self, mark: TrustMark, site: str = SITE) -> None:
        shop = accepted(self.app.shops.show(site))
        self.in_transaction(lambda store: store.shops.change(attrs.evolve(shop, trust_mark=mark)))

    def counted(self, site: str = SITE) -> int:
        views = self.app.badges.show_views(site)
        assert isinstance(views, DayOfViews)
        return views.counted

    def show_badges_in_one_batch(self, *looks: tuple[str, str | None, CountMode]) -> Sequence[BadgeAnswer]:
        """Answer many requests in one batch."""
        outcomes = self.storage.run_all([unit_of(self.app, show_badge, *each, None) for each in looks])
        return [done(each) for each in outcomes]


@pytest.fixture
def harness(each_storage: Storage) -> Iterator[ViewHarness]:
    with closing(ViewHarness(storage=each_storage, views_per_day_free=10, views_per_day_member=20)) as harness:
        yield harness


@pytest.fixture
def concurrent_harness(concurrent_storage: Storage) -> Iterator[ViewHarness]:
    with closing(ViewHarness(storage=concurrent_storage, views_per_day_free=10, views_per_day_member=20)) as harness:
        yield harness


def shown(answers: Sequence[object]) -> int:
    return sum(isinstance(each, BadgeShown | Verified) for each in answers)


def why(answer: BadgeAnswer) -> WhyHidden:
    assert isinstance(answer, BadgeHidden)
    return answer.why


def test_what_is_refused_is_not_counted(harness: ViewHarness) -> None:
    for _ in range(15):
        harness.show_badge()
    harness.set_trust_mark(TrustMark.GRANTED)
    assert harness.app.badges.show_views(SITE) == DayOfViews(counted=10, limit=20)
    assert shown([harness.show_badge() for _ in range(15)]) == 10


@pytest.mark.parametrize("mark", list(TrustMark))
@pytest.mark.parametrize("active", [True, False])
def test_every_verification_is_a_view_whatever_it_says(harness: ViewHarness, mark: TrustMark, active: bool) -> None:
    harness.set_trust_mark(mark)
    harness.app.shops.update(SITE, ShopChanges(active=active))
    assert shown([harness.verify(), harness.verify(form=Form.COMPACT_JWS)]) == 2
    assert harness.counted() == 2


def test_who_asks_for_the_head_alone_is_told_the_same_and_not_counted(harness: ViewHarness) -> None:
    for _ in range(15):
        assert (
            shown([harness.show_badge(count_mode=CountMode.DRY_RUN), harness.verify(count_mode=CountMode.DRY_RUN)]) == 2
        )
    assert harness.counted() == 0
    for _ in range(10):
        harness.show_badge()
    assert why(harness.show_badge(count_mode=CountMode.DRY_RUN)) is WhyHidden.LIMIT_REACHED
    assert isinstance(harness.verify(count_mode=CountMode.DRY_RUN), LimitReached)


def test_an_unknown_site_is_told_apart_by_verification_alone(harness: ViewHarness) -> None:
    assert harness.verify("nobody") == ShopUnknown("nobody")
    assert harness.verify("\ud800") == ShopUnknown("\ud800")
    assert harness.app.badges.show_views("nobody") == ShopUnknown("nobody")


def test_a_badge_holds_what_the_operator_has_set(harness: ViewHarness) -> None:
    harness.set_trust_mark(TrustMark.GRANTED)
    answer = harness.show_badge()
    assert isinstance(answer, BadgeShown)
    badge = answer.badge
    assert (badge.site_id, badge.name, badge.hosts) == (SITE, "Bakkerij De Molen", (HOST,))
    assert (badge.status, badge.score.count, badge.score.mean) == (Status.TRUSTED, 0, None)
    assert (badge.theme, badge.size, badge.language) == ("auto", "medium", "nl")


# --- one batch ------------------------------------------------------------------------------------------------------


def test_of_a_batch_the_first_that_fit_are_admitted_in_their_order(concurrent_harness: ViewHarness) -> None:
    concurrent_harness.app.shops.add(a_shop("another"))
    for _ in range(7):
        concurrent_harness.show_badge()
    asked = [(SITE, OWN, CountMode.COUNT), ("another", None, CountMode.COUNT)] * 6 + [
        (SITE, OWN, CountMode.DRY_RUN),
        (SITE, "https://x.nl", CountMode.COUNT),
    ]
    answers = concurrent_harness.show_badges_in_one_batch(*asked)
    ours = [isinstance(each, BadgeShown) for each, (site, _, _) in zip(answers, asked, strict=True) if site == SITE]
    assert ours == [True, True, True, False, False, False, False, False]
    assert shown(answers[1:12:2]) == 6
    assert (concurrent_harness.counted(), concurrent_harness.counted("another")) == (10, 6)


def test_a_batch_of_both_kinds_is_as_exact(concurrent_harness: ViewHarness) -> None:
    units = [
        unit_of(concurrent_harness.app, show_badge, SITE, OWN, CountMode.COUNT, None)
        if n % 2
        else unit_of(concurrent_harness.app, verify_trust_mark, SITE, form, CountMode.COUNT, None)
        for n in range(15)
        for form in Form
    ]
    answers = [each.result for each in concurrent_harness.storage.run_all(units) if isinstance(each, Done)]
    assert [isinstance(each, BadgeShown | Verified) for each in answers] == [True] * 10 + [False] * 20


def test_many_looks_at_one_shop_run_as_one(harness: ViewHarness) -> None:
    answers = harness.show_badges_in_one_batch(*[(SITE, OWN, CountMode.COUNT)] * 8)
    assert shown(answers) == 8
    unit = unit_of(harness.app, show_badge, SITE, OWN, CountMode.COUNT, None)
    assert isinstance(unit, LockedUnit)
    assert unit.batchable is not None
    assert unit.locks == unit.batchable.shared_locks


def test_each_share_is_told_once_by_the_view_that_crosses_it(concurrent_harness: ViewHarness) -> None:
    told = [
        answer.crossed
        for answer in concurrent_harness.show_badges_in_one_batch(*[(SITE, OWN, CountMode.COUNT)] * 12)
        if isinstance(answer, BadgeShown)
    ]
    assert told == [(), (), (), (), (Crossing(50, 10),), (), (), (), (Crossing(90, 10),), ()]
    assert why(concurrent_harness.show_badge()) is WhyHidden.LIMIT_REACHED


def test_verification_tells_of_shares_too_and_a_head_of_none(harness: ViewHarness) -> None:
    for _ in range(4):
        harness.show_badge()
    fifth = harness.verify()
    assert isinstance(fifth, Verified)
    assert fifth.crossed == (Crossing(50, 10),)
    only_head = harness.verify(count_mode=CountMode.DRY_RUN)
    assert isinstance(only_head, Verified)
    assert only_head.crossed == ()


def test_one_that_is_granted_the_mark_meanwhile_is_told_of_its_new_limit(harness: ViewHarness) -> None:
    for _ in range(9):
        harness.show_badge()
    harness.set_trust_mark(TrustMark.GRANTED)
    told = [each.crossed for each in (harness.show_badge() for _ in range(11)) if isinstance(each, BadgeShown)]
    assert [each for crossed in told for each in crossed] == [Crossing(50, 20), Crossing(90, 20)]


# --- each client's share --------------------------------------------------------------------------------------------


def test_what_is_not_counted_takes_nothing_from_the_share() -> None:
    with closing(ViewHarness(views_per_day_free=100, views_per_client_percent=30)) as harness:
        for _ in range(40):
            harness.show_badge(count_mode=CountMode.DRY_RUN, client=HERE)
            harness.show_badge(referer="https://elsewhere.example.com/", client=HERE)
            harness.show_badge("nobody", client=HERE)
        assert shown([harness.show_badge(client=HERE) for _ in range(40)]) == 30


def test_the_share_holds_within_a_batch(concurrent_storage: Storage) -> None:
    with closing(
        ViewHarness(storage=concurrent_storage, views_per_day_free=100, views_per_client_percent=30)
    ) as harness:
        units = [
            unit_of(harness.app, show_badge, SITE, OWN, CountMode.COUNT, THERE if number % 2 else HERE)
            for number in range(70)
        ]
        outcomes = [done(each) for each in harness.storage.run_all(units)]
        assert [isinstance(each, BadgeShown) for each in outcomes] == [True] * 60 + [False] * 10


def reports(harness: ViewHarness, *clients: ClientAddress | None) -> list[int]:
    """View the badge once for each client; return the positions of the views that report that one makes most."""
    views = [harness.show_badge(client=client) for client in clients]
    return [position for position, view in enumerate(views) if isinstance(view, BadgeShown) and view.one_client]


def test_that_one_client_makes_most_views_is_reported_once_a_day() -> None:
    with closing(ViewHarness(views_per_day_free=1_000, views_per_client_percent=25)) as harness:
        harness.app.shops.add(a_shop("another"))
        assert reports(harness, *[HERE] * 250) == [125]  # half of its 250
        assert not any(accepted(harness.verify("another", client=HERE)).one_client for _ in range(250))
        harness.clock.set(MIDNIGHT)
        assert reports(harness, *[THERE] * 120, *[HERE] * 250) == [120 + 125]


def test_a_client_among_others_is_not_reported() -> None:
    with closing(ViewHarness(views_per_day_free=1_000)) as harness:
        assert reports(harness, *[HERE, THERE, ClientAddress("198.51.100.7")] * 200) == []


def test_without_shares_the_report_is_about_half_of_the_day() -> None:
    with closing(ViewHarness(views_per_day_free=100)) as harness:
        assert reports(harness, *[HERE] * 100) == [50]


# --- many at once ---------------------------------------------------------------------------------------------------


def test_64_at_once_at_the_edge_are_exactly_the_limit(concurrent_storage: Storage) -> None:
    with closing(ViewHarness(storage=concurrent_storage, views_per_day_free=100)) as harness:
        harness.show_badges_in_one_batch(*[(SITE, OWN, CountMode.COUNT)] * 70)
        badge = unit_of(harness.app, show_badge, SITE, OWN, CountMode.COUNT, None)
        statement = unit_of(harness.app, verify_trust_mark, SITE, Form.JSON, CountMode.COUNT, None)
        with closing(group_commit_of(harness.app)) as commits:

            def view(number: int) -> object:
                return commits.run(badge) if number % 2 else commits.run(statement)

            answers = run_concurrently(AT_ONCE, view)
        assert Counter(isinstance(each, BadgeShown | Verified) for each in answers) == {True: 30, False: 34}
        assert harness.counted() == 100
