"""Shops, keys and invitations, as operators and embedders manage them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.core.usecases.harness import LEASE, AppHarness, MailScript

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.domain.errors import ApplicationClosed, Invalid
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.refusals import (
    AddressErased,
    InvitationUnknown,
    KeyExists,
    ShopExists,
    ShopUnknown,
    TooLate,
)
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import Accepted, AnswerLost, RefusedForNow, Rejected, Unreachable
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.invitations.change import UncertainQuery
from reviewinvite_core.usecases.invitations.read import InvitationQuery
from reviewinvite_core.usecases.reviews.read import ReviewQuery
from reviewinvite_core.values import Action, ActivityQuery, ActorKind, ActorRef, NewKey

UNKNOWN_ID = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"


def test_a_closed_application_refuses_every_call(concurrent_harness: AppHarness) -> None:
    app = concurrent_harness.app
    caller = accepted(app.shops.act_for("bakkerij-1"))
    app.close()
    app.close()
    calls: list[Callable[[], object]] = [
        app.check_ready,
        app.shops.list,
        lambda: app.orders.report(caller, an_order_report()),
        lambda: app.api_keys.authenticate("no key"),
        lambda: list(app.privacy.purge()),
        lambda: app.delivery.once(),
        lambda: app.delivery.continually(threading.Event()),
        app.delivery.paused,
        app.delivery.reconcile,
        lambda: app.domain_rechecker.once(),
        lambda: app.domain_rechecker.continually(threading.Event()),
        app.domain_rechecker.in_background,
    ]
    for call in calls:
        with pytest.raises(ApplicationClosed, match=r"^the application is closed: build another one"):
            call()


def test_a_shops_site_id_is_taken_wherever_its_text_is(concurrent_harness: AppHarness) -> None:
    app = concurrent_harness.app
    accepted(app.badges.show_views("bakkerij-1"))
    shop = accepted(app.shops.show("bakkerij-1"))
    assert app.shops.show(shop.site_id) == shop
    assert accepted(app.shops.act_for(shop.site_id)).site_id == shop.site_id
    assert accepted(app.api_keys.list(shop.site_id)) == app.api_keys.list("bakkerij-1")
    assert accepted(app.domains.list(shop.site_id)) == app.domains.list("bakkerij-1")
    accepted(app.badges.show_views(shop.site_id))
    accepted(app.trust_marks.grant(shop.site_id))
    assert accepted(app.trust_marks.verify(shop.site_id)).document
    accepted(app.privacy.suppress("anna@example.com", shop.site_id))
    accepted(app.reviews.list(ReviewQuery(site_id=shop.site_id)))
    accepted(app.invitations.list(OPERATOR, InvitationQuery(site_id=shop.site_id)))
    accepted(app.invitations.count_uncertain(UncertainQuery(site_id=shop.site_id)))
    assert app.shops.add(a_shop(shop.site_id)) == ShopExists("bakkerij-1")


@pytest.mark.parametrize("site_id", ["nowhere", "", "\udc80", "no such shop"])
def test_an_unknown_shop_is_said_to_be_unknown(site_id: str) -> None:
    app = AppHarness().app
    unknown = ShopUnknown(site_id)
    assert app.shops.show(site_id) == unknown
    assert app.shops.update(site_id, ShopChanges(active=False)) == unknown
    assert app.api_keys.create(site_id, "") == unknown
    assert app.api_keys.list(site_id) == unknown
    assert app.shops.act_for(site_id) == unknown
    assert app.invitations.list(OPERATOR, InvitationQuery(site_id=site_id)) == unknown


def test_a_repeated_request_makes_no_second_key_and_mails_nobody_again() -> None:
    app = AppHarness().app
    made = accepted(app.api_keys.create("bakkerij-1", "web shop", idempotency_key="once"))
    assert app.api_keys.create("bakkerij-1", "other", idempotency_key="once") == KeyExists(made.api_key.key_id)
    assert accepted(app.api_keys.list("bakkerij-1"))[1:] == [made.api_key]
    app.api_keys.revoke(made.api_key.key_id)
    assert isinstance(app.api_keys.create("bakkerij-1", idempotency_key="once"), KeyExists)
    actions = [each.action for each in accepted(app.members.list_activity("bakkerij-1", ActivityQuery())).entries]
    assert actions.count(Action.KEY_CREATED) == 1
    app.shops.add(a_shop("other-shop"))
    assert isinstance(app.api_keys.create("other-shop", idempotency_key="once"), NewKey)


@pytest.mark.parametrize("label", ["x" * 101, "a\nb", "\u202e"])
def test_a_label_that_cannot_be_makes_no_key(label: str) -> None:
    harness = AppHarness()
    with pytest.raises(Invalid):
        harness.app.api_keys.create("bakkerij-1", label)
    assert len(accepted(harness.app.api_keys.list("bakkerij-1"))) == 1


@pytest.mark.parametrize("invite_id", [UNKNOWN_ID, "", "x", "\udc80"])
def test_an_unknown_invitation_is_neither_shown_nor_cancelled(invite_id: str) -> None:
    app = AppHarness().app
    assert app.invitations.show(OPERATOR, invite_id) == InvitationUnknown(invite_id)
    assert app.invitations.cancel(OPERATOR, invite_id) == InvitationUnknown(invite_id)


def test_what_is_being_handed_over_cannot_be_cancelled() -> None:
    answers = []
    harness = AppHarness(
        MailScript(while_handed_over=lambda: answers.append(harness.app.invitations.cancel(OPERATOR, invite_id)))
    )
    invite_id = harness.report_due()
    harness.deliver()
    assert answers == [TooLate("handing_over")]
    assert harness.invitation(invite_id).state is State.SENT


def test_the_history_says_who_brought_an_invitation_forward_as_long_as_the_log_does(harness: AppHarness) -> None:
    app = harness.app
    key_id = accepted(app.api_keys.authenticate(harness.key.text)).key_id
    by_key, by_operator = (harness.report(f"{name}@example.com").invite_id for name in ("a", "b"))
    accepted(app.invitations.send_now(harness.key, by_key))
    accepted(app.invitations.send_now(OPERATOR, by_operator))
    accepted(app.invitations.cancel(OPERATOR, by_operator))

    def brought_forward(invite_id: str) -> list[tuple[int, ActorRef | None]]:
        record = accepted(app.invitations.show(OPERATOR, invite_id))
        return [(record.history.index(change), actor) for change, actor in record.brought_forward.items()]

    assert brought_forward(by_key) == [(1, ActorRef(ActorKind.API_KEY, key_id))]
    assert brought_forward(by_operator) == [(1, ActorRef(ActorKind.OPERATOR))]
    harness.in_transaction(lambda store: store.activity.sweep(harness.clock.now() + timedelta(days=1), 100))
    assert brought_forward(by_key) == brought_forward(by_operator) == [(1, None)]


def test_what_is_sent_again_was_not_brought_forward() -> None:
    harness = AppHarness(MailScript(answer=AnswerLost()))
    invite_id = harness.report_due()
    harness.deliver()
    accepted(harness.app.invitations.resolve_by_resending(invite_id))
    assert accepted(harness.app.invitations.show(OPERATOR, invite_id)).brought_forward == {}


def test_what_waits_after_a_refusal_is_tried_at_once_and_has_three_days_again() -> None:
    harness = AppHarness(*[MailScript(at_stage=Unreachable())] * 3)
    invite_id = harness.report_due()
    harness.deliver()
    harness.clock.advance(timedelta(days=3))
    harness.app.invitations.send_now(OPERATOR, invite_id)
    (left,) = harness.deliver()
    assert (left.state, left.reason) == (State.SCHEDULED, Reason.UNREACHABLE)
    assert left.first_tried_at == harness.clock.now()


def test_what_waited_too_long_for_its_shop_is_sent_by_an_operators_word() -> None:
    harness = AppHarness()
    invite_id = harness.report_due()
    harness.clock.advance(timedelta(days=61))
    harness.app.invitations.send_now(OPERATOR, invite_id)
    assert [each.state for each in harness.deliver()] == [State.SENT]


@pytest.mark.parametrize("late", [Accepted("250"), Rejected("550"), RefusedForNow("451")])
@pytest.mark.parametrize("resend", [False, True])
def test_an_operators_word_stands_against_an_answer_that_comes_after_it(
    resend: bool, late: Accepted | Rejected | RefusedForNow
) -> None:
    def meanwhile() -> None:  # the mail server is silent for longer than the lease, and an operator looks
        harness.clock.advance(LEASE)
        harness.deliver()
        assert harness.invitation(invite_id).state is State.UNCERTAIN
        (harness.app.invitations.resolve_by_resending if resend else harness.app.invitations.resolve_as_sent)(invite_id)

    harness = AppHarness(MailScript(while_handed_over=meanwhile, answer=late))
    invite_id = harness.report_due()
    harness.deliver()
    sent_again = [Reason.CLAIMED, Reason.FENCED, Reason.ACCEPTED] if resend else []
    assert harness.reasons(invite_id)[3:] == [Reason.PROCESS_DIED, Reason.OPERATOR, *sent_again]
    assert harness.invitation(invite_id).state is State.SENT
    assert len(harness.mailer.committed) == (2 if resend else 1)


def test_an_erased_address_is_not_sent_to_again_but_can_be_said_to_have_been_reached() -> None:
    harness = AppHarness(MailScript(answer=AnswerLost()))
    uncertain, waiting = harness.report_due(), harness.report(order_number="2").invite_id
    harness.deliver()
    harness.app.privacy.erase_address("anna@example.com")
    assert harness.app.invitations.resolve_by_resending(uncertain) == AddressErased()
    assert harness.app.invitations.send_now(OPERATOR, waiting) == TooLate("cancelled")
    assert accepted(harness.app.invitations.resolve_as_sent(uncertain)).state is State.SENT
