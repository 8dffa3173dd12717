"""One request to the orders API: what is checked first gives the answer."""

from __future__ import annotations

from datetime import timedelta

from tests.core.usecases.harness import AppHarness

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.domain.api_key import ENTROPY_BYTES, SecretKey
from reviewinvite_core.domain.errors import Invalid, KeyRefused, LimitReached, Problem, ShopInactive
from reviewinvite_core.domain.orders import Reported
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.invitations.read import InvitationQuery

INVALID = Invalid(Problem.INVALID_ADDRESS, "email")
UNKNOWN_KEY = SecretKey.make(b"\x07" * ENTROPY_BYTES)


def use_up(harness: AppHarness, times: int) -> None:
    for number in range(times):
        assert isinstance(harness.app.orders.report(harness.key, an_order_report(order_number=str(number))), Reported)


def test_a_good_key_reports_an_order() -> None:
    harness = AppHarness()
    answer = harness.app.orders.report(harness.key, an_order_report())
    assert isinstance(answer, Reported)
    assert accepted(harness.app.orders.report(harness.key, an_order_report())).invite_id == answer.invite_id


def test_the_key_is_judged_before_shop_limit_and_body() -> None:
    harness = AppHarness(orders_per_minute=1)
    use_up(harness, 1)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    assert harness.app.orders.report(UNKNOWN_KEY, INVALID) == KeyRefused(presented=True)
    harness.app.api_keys.revoke(accepted(harness.app.api_keys.list("bakkerij-1"))[0].key_id)
    assert harness.app.orders.report(harness.key, INVALID) == KeyRefused(presented=True)


def test_the_shop_is_judged_before_limit_and_body() -> None:
    harness = AppHarness(orders_per_minute=1)
    use_up(harness, 1)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    assert harness.app.orders.report(harness.key, INVALID) == ShopInactive()


def test_the_limit_is_judged_before_the_body() -> None:
    harness = AppHarness(orders_per_minute=1)
    use_up(harness, 1)
    now = harness.clock.now()
    assert harness.app.orders.report(harness.key, INVALID) == LimitReached(
        asked_at=now, retry_at=now + timedelta(seconds=60)
    )


def test_the_body_is_judged_last() -> None:
    harness = AppHarness()
    assert harness.app.orders.report(harness.key, INVALID) == INVALID
    assert accepted(harness.app.invitations.list(OPERATOR, InvitationQuery())).invitations == []


def test_an_invalid_body_takes_from_the_limit() -> None:
    harness = AppHarness(orders_per_minute=2)
    assert harness.app.orders.report(harness.key, INVALID) == INVALID
    use_up(harness, 1)
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), LimitReached)


def test_a_request_beyond_the_limit_takes_nothing_from_it() -> None:
    harness = AppHarness(orders_per_minute=2)
    use_up(harness, 2)
    for _ in range(59):
        harness.clock.advance(timedelta(seconds=1))
        assert isinstance(harness.app.orders.report(harness.key, an_order_report(order_number="late")), LimitReached)
    harness.clock.advance(timedelta(seconds=1))
    assert isinstance(harness.app.orders.report(harness.key, an_order_report(order_number="late")), Reported)


def test_a_refused_key_and_an_inactive_shop_take_nothing_from_the_limit() -> None:
    harness = AppHarness(orders_per_minute=1)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    for _ in range(3):
        assert harness.app.orders.report(harness.key, an_order_report()) == ShopInactive()
    harness.app.shops.update("bakkerij-1", ShopChanges(active=True))
    use_up(harness, 1)


def test_a_repeat_takes_from_the_limit_too() -> None:
    harness = AppHarness(orders_per_minute=2)
    assert not accepted(harness.app.orders.report(harness.key, an_order_report())).duplicate
    assert accepted(harness.app.orders.report(harness.key, an_order_report())).duplicate
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), LimitReached)


def test_each_key_has_a_limit_of_its_own() -> None:
    harness = AppHarness(orders_per_minute=1)
    second = accepted(harness.app.api_keys.create("bakkerij-1", "")).secret
    use_up(harness, 1)
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), LimitReached)
    assert isinstance(harness.app.orders.report(second, an_order_report()), Reported)


def test_a_key_reports_for_its_own_shop() -> None:
    harness = AppHarness()
    harness.app.shops.add(a_shop("other"))
    other = accepted(harness.app.api_keys.create("other", "")).secret
    first = accepted(harness.app.orders.report(harness.key, an_order_report()))
    second = accepted(harness.app.orders.report(other, an_order_report()))
    assert first.invite_id != second.invite_id
    assert accepted(harness.app.invitations.show(OPERATOR, second.invite_id)).shop.site_id.text == "other"


def test_a_limit_of_zero_refuses_nobody() -> None:
    harness = AppHarness(orders_per_minute=0)
    reports = [an_order_report(order_number=str(number)) for number in range(200)]
    answers = [harness.app.orders.report(harness.key, report) for report in reports]
    assert [type(answer) for answer in answers] == [Reported] * 200
