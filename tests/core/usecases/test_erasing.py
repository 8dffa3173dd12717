"""Addresses are forgotten on request and when their time is over; what protects the customer outlives them."""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest
from tests.core.usecases.stage import Killed, Play, Scene, kill
from tests.links import token_of

from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.invitations import Reason, State
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.domain.suppressions import Reach
from reviewinvite_core.ports import AnswerLost, RefusedForNow, Storage
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.erase_addresses import Erasure

ANNA = "anna@example.com"
DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
NOTHING = Erasure(erased=0, cancelled=[])


@pytest.fixture
def play(each_storage: Storage) -> Play:
    return Play(storage=each_storage)


def kept(play: Play, invite_id: str) -> bool:
    return play.now(invite_id).sealed_address is not None


def test_erasing_forgets_the_address_at_every_shop_and_cancels_what_waits(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    elsewhere = play.app.report_order(play.app.act_for("other"), an_order_report()).invite_id
    mine, spared = play.report().invite_id, play.report("bert@example.com").invite_id
    erasure = play.app.erase_address(" ANNA@example.com ")
    assert erasure.erased == 2
    assert {each.invite_id for each in erasure.cancelled} == {mine, elsewhere}
    for each in (mine, elsewhere):
        assert not kept(play, each)
        assert (play.now(each).state, play.now(each).reason) == (State.CANCELLED, Reason.ERASED)
        assert play.reasons(each) == [Reason.REPORTED, Reason.ERASED]
    assert erasure.cancelled[0] in (play.now(mine), play.now(elsewhere))
    assert kept(play, spared)
    play.clock.advance(5 * DAY)
    assert [each.invite_id for each in play.deliver()] == [spared]


def test_what_has_ended_keeps_its_state(play: Play) -> None:
    sent, withdrawn = play.report_due(), play.report(order_number="2").invite_id
    play.deliver()
    play.app.cancel_invitation(withdrawn)
    before = play.reasons(sent), play.reasons(withdrawn)
    assert play.app.erase_address(ANNA) == Erasure(erased=2, cancelled=[])
    assert (play.reasons(sent), play.reasons(withdrawn)) == before
    assert not kept(play, sent)
    assert not kept(play, withdrawn)


def test_erasing_again_or_an_unknown_address_changes_nothing(play: Play) -> None:
    play.report()
    assert play.app.erase_address("bert@example.com") == NOTHING
    assert play.app.erase_address(ANNA).erased == 1
    assert play.app.erase_address(ANNA) == NOTHING
    with pytest.raises(Invalid):
        play.app.erase_address("anna")


def test_after_an_erasure_a_repeat_is_still_no_new_order(play: Play) -> None:
    first = play.report()
    play.app.erase_address(ANNA)
    play.clock.advance(400 * DAY)
    assert play.report() == attrs.evolve(first, duplicate=True)
    assert not kept(play, first.invite_id)
    assert play.deliver() == []


def test_after_an_erasure_the_old_link_still_opts_out(play: Play) -> None:
    token = token_of(play.app, play.report().invite_id)
    play.app.erase_address(ANNA)
    assert play.app.unsubscribe(token, Reach.EVERY_SHOP)
    assert play.now(play.report(order_number="2").invite_id).state is State.SUPPRESSED


def test_an_opt_out_outlives_the_address(play: Play) -> None:
    play.app.unsubscribe(token_of(play.app, play.report().invite_id), Reach.THIS_SHOP)
    play.app.erase_address(ANNA)
    assert play.now(play.report(order_number="2").invite_id).state is State.SUPPRESSED


def test_an_order_after_an_erasure_is_a_new_one_with_an_address_that_can_be_erased_again(play: Play) -> None:
    play.report()
    play.app.erase_address(ANNA)
    later = play.report(order_number="2").invite_id
    assert kept(play, later)
    assert play.app.erase_address(ANNA).erased == 1
    assert not kept(play, later)


def test_what_a_worker_holds_is_cancelled_and_does_not_go_out(each_storage: Storage) -> None:
    play = Play(Scene(while_staged=lambda: play.app.erase_address(ANNA)), storage=each_storage)
    invite_id = play.report_due()
    play.deliver()
    assert play.mailer.out == []
    assert play.reasons(invite_id) == [Reason.REPORTED, Reason.CLAIMED, Reason.ERASED]


def test_what_is_being_handed_over_goes_on_without_an_address(each_storage: Storage) -> None:
    erasures = []
    play = Play(Scene(while_handed_over=lambda: erasures.append(play.app.erase_address(ANNA))), storage=each_storage)
    invite_id = play.report_due()
    play.deliver()
    assert erasures == [Erasure(erased=1, cancelled=[])]
    assert play.now(invite_id).state is State.SENT
    assert not kept(play, invite_id)


def test_one_that_comes_back_without_an_address_is_not_sent(play: Play) -> None:
    refused = RefusedForNow("451")
    play.mailer.scenes.append(Scene(while_handed_over=lambda: play.app.erase_address(ANNA), answer=refused))
    invite_id = play.report_due()
    play.deliver()
    play.clock.advance(DAY)
    play.deliver()
    assert len(play.mailer.staged) == 1
    assert (play.now(invite_id).state, play.now(invite_id).reason) == (State.REJECTED, Reason.NOT_RENDERABLE)


def test_an_uncertain_one_keeps_its_state(play: Play) -> None:
    play.mailer.scenes.append(Scene(answer=AnswerLost()))
    invite_id = play.report_due()
    play.deliver()
    assert play.app.erase_address(ANNA) == Erasure(erased=1, cancelled=[])
    assert play.now(invite_id).state is State.UNCERTAIN
    assert play.app.unsubscribe(token_of(play.app, invite_id), Reach.THIS_SHOP)
    assert play.now(invite_id).reason is Reason.LINK_OPENED


def test_an_address_is_kept_ninety_days_from_the_due_time_and_no_longer(play: Play) -> None:
    invite_id = play.report().invite_id
    play.clock.advance(5 * DAY)
    play.deliver()
    play.clock.set(play.now(invite_id).scheduled_for + 90 * DAY)
    assert play.app.erase_expired() == NOTHING
    assert kept(play, invite_id)
    play.clock.advance(MICROSECOND)
    assert play.app.erase_expired() == Erasure(erased=1, cancelled=[])
    assert not kept(play, invite_id)
    assert play.app.erase_expired() == NOTHING


def test_how_long_is_the_operators_to_say(each_storage: Storage) -> None:
    play = Play(storage=each_storage, retention_days=10)
    play.report(delay=0)
    play.clock.advance(10 * DAY)
    assert play.app.erase_expired() == NOTHING
    play.clock.advance(timedelta(milliseconds=1))
    assert play.app.erase_expired().erased == 1


def test_what_still_waits_when_its_time_is_over_is_cancelled(each_storage: Storage) -> None:
    play = Play(storage=each_storage, retention_days=10)
    invite_id = play.report(delay=0).invite_id
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.advance(11 * DAY)
    [cancelled] = play.app.erase_expired().cancelled
    assert cancelled == play.now(invite_id)
    assert (cancelled.state, cancelled.reason, cancelled.sealed_address) == (State.CANCELLED, Reason.ERASED, None)


def test_what_is_being_handed_over_is_left_until_that_is_settled(each_storage: Storage) -> None:
    play = Play(Scene(while_handed_over=kill), storage=each_storage)
    invite_id = play.report_due()
    with pytest.raises(Killed):
        play.deliver()
    play.clock.advance(91 * DAY)
    assert play.app.erase_expired() == NOTHING
    assert kept(play, invite_id)
    play.deliver()
    assert play.now(invite_id).state is State.UNCERTAIN
    play.app.erase_expired()
    assert not kept(play, invite_id)


def test_a_purge_goes_on_until_nothing_is_left(each_storage: Storage) -> None:
    play = Play(storage=each_storage)
    reports = [an_order_report(f"customer-{each}@example.com") for each in range(1001)]
    reported = play.app.import_orders(play.caller, reports)
    play.clock.advance(96 * DAY)
    later = play.report("late@example.com").invite_id
    assert [batch.erased for batch in play.app.purge()] == [500, 500, 1]
    assert not kept(play, reported[0].invite_id)
    assert kept(play, later)
    assert list(play.app.purge()) == []


def test_the_worker_forgets_what_is_past_its_time_as_well(play: Play) -> None:
    sent, waiting = play.report_due(), play.report("bert@example.com", delay=60).invite_id
    play.deliver()
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.advance(91 * DAY)
    play.deliver()
    assert not kept(play, sent)
    assert kept(play, waiting)
    play.clock.advance(60 * DAY)
    changed = play.deliver()
    assert [each.invite_id for each in changed] == [waiting]
    assert not kept(play, waiting)


def test_all_that_is_held_about_an_address_is_told_and_nothing_of_others(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    elsewhere = play.app.report_order(play.app.act_for("other"), an_order_report()).invite_id
    play.clock.advance(DAY)
    mine = play.report().invite_id
    play.report("bert@example.com")
    play.app.add_suppression(ANNA, "other")
    play.app.add_suppression(ANNA, None)
    play.app.add_suppression("bert@example.com", None)
    play.app.erase_address(ANNA)
    held = play.app.export_address("Anna@example.com")
    assert [record.invitation.invite_id for record in held.invitations] == [elsewhere, mine]
    assert held.invitations[0] == play.app.show_invitation(elsewhere)
    assert [record.shop and record.shop.site_id.text for record in held.suppressions] == [None, "other"]
    nothing = play.app.export_address("carla@example.com")
    assert (nothing.invitations, nothing.suppressions) == ([], [])
