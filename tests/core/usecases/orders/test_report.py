"""An order is reported: one invitation, at the right time, whatever is repeated."""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest
from tests.core.usecases.harness import AppHarness
from tests.logs import captured_logs

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.domain.errors import ShopInactive
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.domain.timing import cut_to_millisecond
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.invitations.read import InvitationQuery

DAY = timedelta(days=1)


def test_a_report_schedules_an_invitation_five_days_later() -> None:
    harness = AppHarness()
    reported = harness.report()
    assert reported.scheduled_for == cut_to_millisecond(harness.clock.now()) + 5 * DAY
    assert not reported.duplicate
    invitation = harness.invitation(reported.invite_id)
    assert (invitation.state, invitation.due_at, invitation.order_number) == (
        State.SCHEDULED,
        reported.scheduled_for,
        "1001",
    )


def test_a_second_report_returns_the_first_invitation() -> None:
    harness = AppHarness()
    first = harness.report(delay=2)
    harness.clock.advance(DAY)
    again = harness.report(" ANNA@example.com", language="en", delay=9)
    assert again == attrs.evolve(first, duplicate=True)
    assert len(accepted(harness.app.invitations.list(OPERATOR, InvitationQuery())).invitations) == 1
    assert harness.invitation(first.invite_id).language is Language.NL


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


@pytest.mark.parametrize("later", [0, 90, 3650])
def test_a_report_is_recognised_whatever_became_of_its_invitation(later: int) -> None:
    harness = AppHarness()
    first = harness.report()
    harness.app.invitations.cancel(OPERATOR, first.invite_id)
    harness.clock.advance(later * DAY)
    assert harness.report() == attrs.evolve(first, duplicate=True)
    assert harness.invitation(first.invite_id).state is State.CANCELLED


def test_reports_that_differ_in_customer_number_or_shop_are_other_orders() -> None:
    harness = AppHarness()
    harness.app.shops.add(a_shop("other"))
    ids = {
        harness.report().invite_id,
        harness.report("an.na@example.com").invite_id,
        harness.report("anna+x@example.com").invite_id,
        harness.report(order_number="1002").invite_id,
        harness.report(order_number=None).invite_id,
        harness.report(site_id="other").invite_id,
    }
    assert len(ids) == 6


def test_without_an_order_number_sixty_days_are_one_order_and_a_repeat_does_not_lengthen_them() -> None:
    harness = AppHarness()
    first = harness.report(order_number=None)
    harness.clock.advance(59 * DAY)
    assert harness.report(order_number=None).invite_id == first.invite_id
    harness.clock.advance(DAY)
    second = harness.report(order_number=None)
    assert not second.duplicate
    harness.clock.advance(59 * DAY)
    assert harness.report(order_number=None).invite_id == second.invite_id


def test_the_shops_own_language_and_delay_apply_where_a_report_names_none() -> None:
    harness = AppHarness()
    harness.app.shops.update("bakkerij-1", ShopChanges(language="en", delay=1.5))
    reported = harness.report()
    assert harness.invitation(reported.invite_id).language is Language.EN
    assert reported.scheduled_for == cut_to_millisecond(harness.clock.now()) + 1.5 * DAY
    other = harness.report(order_number="1002", language="nl", delay=0)
    assert harness.invitation(other.invite_id).language is Language.NL
    assert other.scheduled_for == cut_to_millisecond(harness.clock.now())


def test_what_a_shop_changes_later_leaves_its_invitations_as_they_are() -> None:
    harness = AppHarness()
    reported = harness.report()
    before = harness.invitation(reported.invite_id)
    harness.app.shops.update("bakkerij-1", ShopChanges(language="en", delay=60))
    assert harness.invitation(reported.invite_id) == before


def test_an_inactive_shop_reports_nothing() -> None:
    harness = AppHarness()
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    reports = [an_order_report(), an_order_report("bert@example.com")]
    assert harness.app.orders.report(harness.caller, reports[0]) == ShopInactive()
    assert harness.app.orders.import_many(harness.caller, reports) == [ShopInactive(), ShopInactive()]
    assert accepted(harness.app.invitations.list(OPERATOR, InvitationQuery())).invitations == []


def test_many_orders_are_imported_in_order_with_repeats_among_them() -> None:
    harness = AppHarness()
    emails = ["anna@example.com", "bert@example.com", "Anna@example.com"]
    answers = harness.app.orders.import_many(harness.caller, [an_order_report(email) for email in emails])
    first, second, third = map(accepted, answers)
    assert (first.duplicate, second.duplicate, third.duplicate) == (False, False, True)
    assert first.invite_id == third.invite_id != second.invite_id


def test_reporting_through_the_library_is_under_no_limit() -> None:
    harness = AppHarness(orders_per_minute=1)
    assert len({harness.report(order_number=str(number)).invite_id for number in range(5)}) == 5


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
