"""An order is reported: one invitation, at the right time, whatever is repeated."""

from __future__ import annotations

from datetime import timedelta

import attrs
from tests.core.usecases.harness import AppHarness
from tests.logs import captured_logs

from reviewinvite_core import accepted
from reviewinvite_core.testing.builders import a_shop, an_order_report

DAY = timedelta(days=1)


def test_an_empty_order_number_counts_as_none_and_is_logged_once_a_day_and_shop() -> None:
    harness = AppHarness()
    harness.app.shops.add(a_shop("other"))
    with captured_logs() as lines:
        none = harness.report(order_number=None)
        assert lines == []
        assert harness.report(order_number=" ") == attrs.evolve(none, duplicate=True)
        assert harness.report("bert@example.com", order_number="").duplicate is False
        harness.report(order_number="", site_id="other")
        assert [line["siteId"] for line in lines] == ["bakkerij-1", "other"]
        assert {(line["event"], line["log_level"]) for line in lines} == {
            ("empty order number: a customer's orders of 60 days count as one", "warning")
        }
        harness.clock.advance(DAY)
        harness.report(order_number="")
        assert [line["siteId"] for line in lines] == ["bakkerij-1", "other", "bakkerij-1"]
    assert harness.invitation(none.invite_id).order_number is None


def test_many_orders_are_imported_in_order_with_repeats_among_them() -> None:
    harness = AppHarness()
    emails = ["anna@example.com", "bert@example.com", "Anna@example.com"]
    answers = harness.app.orders.import_many(harness.caller, [an_order_report(email) for email in emails])
    first, second, third = map(accepted, answers)
    assert (first.duplicate, second.duplicate, third.duplicate) == (False, False, True)
    assert first.invite_id == third.invite_id != second.invite_id


def test_the_address_is_stored_sealed() -> None:
    harness = AppHarness()
    sealed = harness.invitation(harness.report().invite_id).sealed_address
    assert sealed is not None
    assert b"anna" not in sealed
    assert b"example" not in sealed


def test_invite_ids_follow_the_time_of_the_report() -> None:
    harness = AppHarness()
    ids = []
    for number in range(5):
        ids.append(harness.report(order_number=str(number)).invite_id)
        harness.clock.advance(timedelta(milliseconds=1))
    assert ids == sorted(ids)
