"""An order is reported: one invitation, at the right time, whatever is repeated."""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest
from tests.core.usecases.stage import Play

from reviewinvite_core.domain.errors import ShopInactive
from reviewinvite_core.domain.invitations import State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.domain.timing import cut_to_millisecond
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.manage_invitations import InvitationQuery

DAY = timedelta(days=1)


def test_a_report_schedules_an_invitation_five_days_later() -> None:
    play = Play()
    reported = play.report()
    assert reported.scheduled_for == cut_to_millisecond(play.clock.now()) + 5 * DAY
    assert not reported.duplicate
    invitation = play.now(reported.invite_id)
    assert (invitation.state, invitation.due_at, invitation.order_number) == (
        State.SCHEDULED,
        reported.scheduled_for,
        "1001",
    )


def test_a_second_report_returns_the_first_invitation() -> None:
    play = Play()
    first = play.report(delay=2)
    play.clock.advance(DAY)
    again = play.report(" ANNA@example.com", language="en", delay=9)
    assert again == attrs.evolve(first, duplicate=True)
    assert len(play.app.list_invitations(InvitationQuery())) == 1
    assert play.now(first.invite_id).language is Language.NL


@pytest.mark.parametrize("later", [0, 90, 3650])
def test_a_report_is_recognised_whatever_became_of_its_invitation(later: int) -> None:
    play = Play()
    first = play.report()
    play.app.cancel_invitation(first.invite_id)
    play.clock.advance(later * DAY)
    assert play.report() == attrs.evolve(first, duplicate=True)
    assert play.now(first.invite_id).state is State.CANCELLED


def test_reports_that_differ_in_customer_number_or_shop_are_other_orders() -> None:
    play = Play()
    play.app.add_shop(a_shop("other"))
    other = play.app.act_for("other")
    ids = {
        play.report().invite_id,
        play.report("an.na@example.com").invite_id,
        play.report("anna+x@example.com").invite_id,
        play.report(order_number="1002").invite_id,
        play.report(order_number=None).invite_id,
        play.app.report_order(other, an_order_report()).invite_id,
    }
    assert len(ids) == 6


def test_without_an_order_number_sixty_days_are_one_order_and_a_repeat_does_not_lengthen_them() -> None:
    play = Play()
    first = play.report(order_number=None)
    play.clock.advance(59 * DAY)
    assert play.report(order_number=None).invite_id == first.invite_id
    play.clock.advance(DAY)
    second = play.report(order_number=None)
    assert not second.duplicate
    play.clock.advance(59 * DAY)
    assert play.report(order_number=None).invite_id == second.invite_id


def test_the_shops_own_language_and_delay_apply_where_a_report_names_none() -> None:
    play = Play()
    play.app.set_shop("bakkerij-1", ShopChanges(language="en", delay=1.5))
    reported = play.report()
    assert play.now(reported.invite_id).language is Language.EN
    assert reported.scheduled_for == cut_to_millisecond(play.clock.now()) + 1.5 * DAY
    other = play.report(order_number="1002", language="nl", delay=0)
    assert play.now(other.invite_id).language is Language.NL
    assert other.scheduled_for == cut_to_millisecond(play.clock.now())


def test_what_a_shop_changes_later_leaves_its_invitations_as_they_are() -> None:
    play = Play()
    reported = play.report()
    before = play.now(reported.invite_id)
    play.app.set_shop("bakkerij-1", ShopChanges(language="en", delay=60))
    assert play.now(reported.invite_id) == before


def test_an_inactive_shop_reports_nothing() -> None:
    play = Play()
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    reports = [an_order_report(), an_order_report("bert@example.com")]
    assert play.app.report_order(play.caller, reports[0]) == ShopInactive()
    assert play.app.import_orders(play.caller, reports) == [ShopInactive(), ShopInactive()]
    assert play.app.list_invitations(InvitationQuery()) == []


def test_many_orders_are_imported_in_order_with_repeats_among_them() -> None:
    play = Play()
    emails = ["anna@example.com", "bert@example.com", "Anna@example.com"]
    first, second, third = play.app.import_orders(play.caller, [an_order_report(email) for email in emails])
    assert (first.duplicate, second.duplicate, third.duplicate) == (False, False, True)
    assert first.invite_id == third.invite_id != second.invite_id


def test_an_import_that_breaks_off_keeps_nothing() -> None:
    play = Play()
    with pytest.raises(AttributeError):
        play.app.import_orders(play.caller, [an_order_report(), "not a report"])
    assert play.app.list_invitations(InvitationQuery()) == []


def test_reporting_through_the_library_is_under_no_limit() -> None:
    play = Play(orders_per_minute=1)
    assert len({play.report(order_number=str(number)).invite_id for number in range(5)}) == 5


def test_the_address_is_stored_sealed() -> None:
    play = Play()
    sealed = play.now(play.report().invite_id).sealed_address
    assert sealed is not None
    assert b"anna" not in sealed
    assert b"example" not in sealed


def test_invite_ids_follow_the_time_of_the_report() -> None:
    play = Play()
    ids = []
    for number in range(5):
        ids.append(play.report(order_number=str(number)).invite_id)
        play.clock.advance(timedelta(milliseconds=1))
    assert ids == sorted(ids)
