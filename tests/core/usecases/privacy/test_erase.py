"""Addresses are forgotten on request and when their time is over; what protects the customer outlives them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.core.usecases.harness import AppHarness, Killed, MailScript, kept, kill
from tests.links import token_of

from reviewinvite_core import accepted
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.domain.suppressions import Reach
from reviewinvite_core.ports import AnswerLost, RefusedForNow, Storage
from reviewinvite_core.testing.builders import an_order_report
from reviewinvite_core.usecases.privacy.change import Erasure

ANNA = "anna@example.com"
DAY = timedelta(days=1)
NOTHING = Erasure(erased=0, cancelled=[])


def test_erasing_again_or_an_unknown_address_changes_nothing(harness: AppHarness) -> None:
    harness.report()
    assert harness.app.privacy.erase_address("bert@example.com") == NOTHING
    assert harness.app.privacy.erase_address(ANNA).erased == 1
    assert harness.app.privacy.erase_address(ANNA) == NOTHING
    with pytest.raises(Invalid):
        harness.app.privacy.erase_address("anna")


def test_what_is_being_handed_over_goes_on_without_an_address(each_storage: Storage) -> None:
    erasures = []
    harness = AppHarness(
        MailScript(while_handed_over=lambda: erasures.append(harness.app.privacy.erase_address(ANNA))),
        storage=each_storage,
    )
    invite_id = harness.report_due()
    harness.deliver()
    assert erasures == [Erasure(erased=1, cancelled=[])]
    assert harness.invitation(invite_id).state is State.SENT
    assert not kept(harness, invite_id)


def test_one_that_comes_back_without_an_address_is_not_sent(harness: AppHarness) -> None:
    refused = RefusedForNow("451")
    harness.mailer.scripts.append(
        MailScript(while_handed_over=lambda: harness.app.privacy.erase_address(ANNA), answer=refused)
    )
    invite_id = harness.report_due()
    harness.deliver()
    harness.clock.advance(DAY)
    harness.deliver()
    assert len(harness.mailer.staged) == 1
    assert harness.state(invite_id) == (State.REJECTED, Reason.NOT_RENDERABLE)


def test_an_uncertain_one_keeps_its_state(harness: AppHarness) -> None:
    harness.mailer.scripts.append(MailScript(answer=AnswerLost()))
    invite_id = harness.report_due()
    harness.deliver()
    assert harness.app.privacy.erase_address(ANNA) == Erasure(erased=1, cancelled=[])
    assert harness.invitation(invite_id).state is State.UNCERTAIN
    assert harness.app.privacy.unsubscribe(token_of(harness.app, invite_id), Reach.THIS_SHOP)
    assert harness.invitation(invite_id).reason is Reason.LINK_OPENED


def test_what_is_being_handed_over_is_left_until_that_is_settled(each_storage: Storage) -> None:
    harness = AppHarness(MailScript(while_handed_over=kill), storage=each_storage)
    invite_id = harness.report_due()
    with pytest.raises(Killed):
        harness.deliver()
    harness.clock.advance(91 * DAY)
    assert harness.app.privacy.erase_expired() == NOTHING
    assert kept(harness, invite_id)
    harness.deliver()
    assert harness.invitation(invite_id).state is State.UNCERTAIN
    harness.app.privacy.erase_expired()
    assert not kept(harness, invite_id)


def test_a_purge_goes_on_until_nothing_is_left(each_storage: Storage) -> None:
    harness = AppHarness(storage=each_storage)
    reports = [an_order_report(f"customer-{each}@example.com") for each in range(1001)]
    reported = harness.app.orders.import_many(harness.caller, reports)
    harness.clock.advance(96 * DAY)
    later = harness.report("late@example.com").invite_id
    assert [batch.erased for batch in harness.app.privacy.purge()] == [500, 500, 1]
    assert not kept(harness, accepted(reported[0]).invite_id)
    assert kept(harness, later)
    assert list(harness.app.privacy.purge()) == []


def test_the_worker_forgets_what_is_past_its_time_as_well(harness: AppHarness) -> None:
    sent, waiting = harness.report_due(), harness.report("bert@example.com", delay_days=60).invite_id
    harness.deliver()
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    harness.clock.advance(91 * DAY)
    harness.deliver()
    assert not kept(harness, sent)
    assert kept(harness, waiting)
    harness.clock.advance(60 * DAY)
    changed = harness.deliver()
    assert [each.invite_id for each in changed] == [waiting]
    assert not kept(harness, waiting)
