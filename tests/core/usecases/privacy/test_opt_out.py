"""A customer opts out by the link in an invitation: once, for ever, and for as many shops as wanted."""

from __future__ import annotations

import email
import re
from datetime import timedelta
from email import policy

import attrs
import pytest
from tests.core.usecases.harness import AppHarness, MailScript, present
from tests.links import token_of

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy
from reviewinvite_core.ports import AnswerLost, Storage
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.invitations.change import transition_if_allowed
from reviewinvite_core.usecases.privacy.read import Subscription

DAY = timedelta(days=1)
SHOP, ALL = Reach.THIS_SHOP, Reach.EVERY_SHOP
ASKED = Subscription(shop_name="Bakkerij De Molen", language=Language.NL, stopped=False, stopped_everywhere=False)
STOPPED = attrs.evolve(ASKED, stopped=True, can_resubscribe=True)
STOPPED_EVERYWHERE = attrs.evolve(STOPPED, stopped_everywhere=True)


def report_elsewhere(harness: AppHarness, email: str = "anna@example.com") -> str:
    """The invitation of an order at another shop."""
    harness.app.shops.add(a_shop("other"))
    return harness.report(email, site_id="other").invite_id


def test_whoever_only_looks_changes_nothing(harness: AppHarness) -> None:
    invite_id = harness.report().invite_id
    token = token_of(harness.app, invite_id)
    before = harness.invitation(invite_id)
    assert harness.app.privacy.show_subscription(token) == ASKED
    assert harness.app.privacy.show_subscription(token) == ASKED
    assert harness.invitation(invite_id) == before
    assert harness.app.privacy.list_suppressions(10) == []


def test_the_page_is_in_the_invitations_language_and_names_the_shop_as_it_is_called_now(harness: AppHarness) -> None:
    token = token_of(harness.app, harness.report(language="en").invite_id)
    harness.app.shops.update("bakkerij-1", ShopChanges(name="Molen & Zonen"))
    shown = present(harness.app.privacy.show_subscription(token))
    assert (shown.language, shown.shop_name) == (Language.EN, "Molen & Zonen")


def test_the_link_in_the_e_mail_is_the_one_that_opts_out(harness: AppHarness) -> None:
    harness.report_due()
    harness.deliver()
    [message] = harness.mailer.committed
    [header] = email.message_from_bytes(message.content, policy=policy.default).get_all("List-Unsubscribe") or []
    token = present(re.fullmatch(r"<http://127\.0\.0\.1:8000/u/([^/>]+)>", header))
    assert harness.app.privacy.unsubscribe(token[1], SHOP) == STOPPED


def test_opting_out_of_a_shop_suppresses_what_waits_there_and_nowhere_else(harness: AppHarness) -> None:
    mine = [harness.report(order_number=number).invite_id for number in ("1", "2")]
    others = [harness.report("bert@example.com").invite_id, report_elsewhere(harness)]
    assert harness.app.privacy.unsubscribe(token_of(harness.app, mine[0]), SHOP) == STOPPED
    assert [harness.invitation(each).state for each in mine] == [State.SUPPRESSED] * 2
    assert [harness.invitation(each).state for each in others] == [State.SCHEDULED] * 2
    assert harness.reasons(mine[1]) == [Reason.REPORTED, Reason.OPTED_OUT]
    [record] = harness.app.privacy.list_suppressions(10)
    assert present(record.shop).site_id.text == "bakkerij-1"
    assert (record.suppression.by, record.suppression.suppressed_at) == (SuppressedBy.CUSTOMER, harness.clock.now())


def test_opting_out_of_all_shops_suppresses_what_waits_anywhere(harness: AppHarness) -> None:
    here, there = harness.report().invite_id, report_elsewhere(harness)
    spared = harness.report("bert@example.com").invite_id
    assert harness.app.privacy.unsubscribe(token_of(harness.app, here), ALL) == STOPPED_EVERYWHERE
    assert [harness.invitation(each).state for each in (here, there, spared)] == [
        *(State.SUPPRESSED, State.SUPPRESSED, State.SCHEDULED)
    ]
    assert harness.app.privacy.show_subscription(token_of(harness.app, there)) == STOPPED_EVERYWHERE


def test_opting_out_again_changes_nothing(harness: AppHarness) -> None:
    invite_id = harness.report().invite_id
    token = token_of(harness.app, invite_id)
    harness.app.privacy.unsubscribe(token, SHOP)
    before = harness.invitation(invite_id), harness.app.privacy.list_suppressions(10)
    harness.clock.advance(DAY)
    assert harness.app.privacy.unsubscribe(token, SHOP) == STOPPED
    assert (harness.invitation(invite_id), harness.app.privacy.list_suppressions(10)) == before
    assert harness.app.privacy.unsubscribe(token, ALL) == STOPPED_EVERYWHERE
    assert harness.app.privacy.unsubscribe(token, SHOP) == STOPPED_EVERYWHERE


def test_a_customer_undoes_an_opt_out_by_the_same_link(harness: AppHarness) -> None:
    invite_id, elsewhere = harness.report().invite_id, report_elsewhere(harness)
    token = token_of(harness.app, invite_id)
    for reach in Reach:
        harness.app.privacy.unsubscribe(token, reach)
    harness.clock.advance(4000 * DAY)
    assert harness.app.privacy.resubscribe(token) == ASKED
    assert harness.app.privacy.list_suppressions(10) == []
    assert [harness.invitation(each).state for each in (invite_id, elsewhere)] == [State.SUPPRESSED] * 2
    assert harness.report().duplicate
    assert harness.invitation(harness.report(order_number="1002").invite_id).state is State.SCHEDULED
    assert harness.app.privacy.resubscribe(token) == ASKED


def test_an_undone_opt_out_leaves_those_of_other_shops_and_other_customers(harness: AppHarness) -> None:
    mine, theirs = (
        token_of(harness.app, harness.report(each).invite_id) for each in ("anna@example.com", "b@example.com")
    )
    there = token_of(harness.app, report_elsewhere(harness))
    for token in (mine, theirs, there):
        harness.app.privacy.unsubscribe(token, SHOP)
    assert harness.app.privacy.resubscribe(mine) == ASKED
    assert [present(harness.app.privacy.show_subscription(each)).stopped for each in (theirs, there)] == [True, True]


@pytest.mark.parametrize("site_id", [None, "bakkerij-1"])
def test_a_customer_cannot_undo_what_an_operator_suppressed(harness: AppHarness, site_id: str | None) -> None:
    token = token_of(harness.app, harness.report().invite_id)
    harness.app.privacy.suppress("anna@example.com", site_id)
    before = harness.app.privacy.list_suppressions(10)
    stopped = present(harness.app.privacy.resubscribe(token))
    assert (stopped.stopped, stopped.can_resubscribe) == (True, False)
    assert harness.app.privacy.list_suppressions(10) == before
    harness.app.privacy.unsubscribe(token, SHOP if site_id is None else ALL)
    assert not present(harness.app.privacy.show_subscription(token)).can_resubscribe
    harness.app.privacy.resubscribe(token)
    assert harness.app.privacy.list_suppressions(10) == before


def test_a_later_order_gets_an_id_as_ever_and_its_invitation_is_suppressed(harness: AppHarness) -> None:
    first = harness.report()
    harness.app.privacy.unsubscribe(token_of(harness.app, first.invite_id), SHOP)
    harness.clock.advance(DAY)
    later = harness.report(order_number="1002")
    assert not later.duplicate
    assert later.scheduled_for - first.scheduled_for == DAY
    invitation = harness.invitation(later.invite_id)
    assert (invitation.state, invitation.reason) == (State.SUPPRESSED, Reason.OPTED_OUT)
    assert invitation.sealed_address is None
    assert harness.reasons(later.invite_id) == [Reason.REPORTED, Reason.OPTED_OUT]
    assert harness.report(order_number="1002") == attrs.evolve(later, duplicate=True)
    assert harness.reasons(later.invite_id) == [Reason.REPORTED, Reason.OPTED_OUT]
    harness.clock.advance(30 * DAY)
    assert harness.deliver() == []


def test_a_repeat_of_an_order_from_before_returns_it_as_it_is(harness: AppHarness) -> None:
    sent = harness.report_due()
    harness.deliver()
    harness.app.privacy.unsubscribe(token_of(harness.app, sent), SHOP)
    assert harness.report(delay=0).invite_id == sent
    assert harness.invitation(sent).state is State.SENT


def test_all_shops_are_told_the_same_of_an_address_that_opted_out_of_all(harness: AppHarness) -> None:
    harness.app.privacy.unsubscribe(token_of(harness.app, harness.report().invite_id), ALL)
    assert harness.invitation(report_elsewhere(harness, "ANNA@example.com")).state is State.SUPPRESSED


def test_an_invitation_in_a_workers_hands_is_suppressed_and_does_not_go_out(each_storage: Storage) -> None:
    harness = AppHarness(
        MailScript(while_staged=lambda: harness.app.privacy.unsubscribe(token_of(harness.app, invite_id), SHOP)),
        storage=each_storage,
    )
    invite_id = harness.report_due()
    harness.deliver()
    assert harness.mailer.committed == []
    assert harness.invitation(invite_id).state is State.SUPPRESSED
    assert harness.reasons(invite_id) == [Reason.REPORTED, Reason.CLAIMED, Reason.OPTED_OUT]


def test_one_that_is_past_the_fence_is_left_to_its_answer(harness: AppHarness) -> None:
    harness.mailer.scripts.append(
        MailScript(while_handed_over=lambda: harness.app.privacy.unsubscribe(token_of(harness.app, one), SHOP))
    )
    one = harness.report_due()
    harness.deliver()
    assert harness.invitation(one).state is State.SENT


def test_a_used_link_settles_its_own_uncertain_invitation_and_no_other(harness: AppHarness) -> None:
    harness.mailer.scripts += [MailScript(answer=AnswerLost()), MailScript(answer=AnswerLost())]
    first, second = (harness.report_due(order_number=number) for number in ("1", "2"))
    harness.deliver()
    token = token_of(harness.app, first)
    harness.app.privacy.show_subscription(token)
    assert harness.invitation(first).state is State.UNCERTAIN
    harness.app.privacy.unsubscribe(token, SHOP)
    assert harness.state(first) == (State.SENT, Reason.LINK_OPENED)
    assert harness.invitation(second).state is State.UNCERTAIN
    harness.app.privacy.resubscribe(token_of(harness.app, second))
    assert harness.state(second) == (State.SENT, Reason.LINK_OPENED)


@pytest.mark.parametrize("token", ["", "x", "A" * 48, "\udc80", "../r/x"])
def test_a_text_that_is_no_token_opens_nothing(token: str) -> None:
    harness = AppHarness()
    harness.report()
    assert harness.app.privacy.show_subscription(token) is None
    assert harness.app.privacy.unsubscribe(token, ALL) is None
    assert harness.app.privacy.resubscribe(token) is None
    assert harness.app.privacy.list_suppressions(10) == []


def test_the_token_of_the_review_page_opts_nobody_out() -> None:
    harness = AppHarness()
    token = token_of(harness.app, harness.report().invite_id, Purpose.REVIEW)
    assert harness.app.privacy.show_subscription(token) is None
    assert harness.app.privacy.unsubscribe(token, SHOP) is None


def test_a_token_for_an_invitation_that_is_not_stored_opens_nothing() -> None:
    """As after a return to an older copy of the database."""
    here, there = AppHarness(), AppHarness()
    token = token_of(here.app, here.report().invite_id)
    assert there.app.privacy.unsubscribe(token, SHOP) is None
    there.report()
    assert there.app.privacy.unsubscribe(token, SHOP) == STOPPED


def test_the_link_works_for_ever_also_for_an_inactive_shop(harness: AppHarness) -> None:
    token = token_of(harness.app, harness.report().invite_id)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    harness.clock.advance(4000 * DAY)
    assert harness.app.privacy.unsubscribe(token, SHOP) == STOPPED


def test_what_a_worker_took_at_the_same_instant_is_withdrawn_all_the_same(harness: AppHarness) -> None:
    seen = harness.invitation(harness.report().invite_id)
    claim = Claim(token=b"theirs", lease_until=harness.clock.now() + DAY)
    taken = seen.moved(State.CLAIMED, Reason.CLAIMED, harness.clock.now(), claim=claim)
    assert harness.in_transaction(lambda store: store.invitations.change(seen, taken))
    assert (
        harness.transactions.run(
            lambda work: transition_if_allowed(work, seen, State.SUPPRESSED, Reason.OPTED_OUT)
        ).claim
        is None
    )
    assert harness.invitation(seen.invite_id).state is State.SUPPRESSED


def test_what_passed_the_fence_at_the_same_instant_is_left_alone(harness: AppHarness) -> None:
    seen = harness.invitation(harness.report().invite_id)
    claim = Claim(token=b"theirs", lease_until=harness.clock.now() + DAY)
    taken = seen.moved(State.CLAIMED, Reason.CLAIMED, harness.clock.now(), claim=claim)
    fenced = taken.moved(State.HANDING_OVER, Reason.FENCED, harness.clock.now(), claim=claim)
    assert harness.in_transaction(lambda store: store.invitations.change(seen, taken))
    assert harness.in_transaction(lambda store: store.invitations.change(taken, fenced))
    assert (
        harness.transactions.run(lambda work: transition_if_allowed(work, seen, State.SUPPRESSED, Reason.OPTED_OUT))
        == fenced
    )
    assert harness.invitation(seen.invite_id) == fenced
