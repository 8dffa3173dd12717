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

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Claim
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.domain.suppressions import Reach
from reviewinvite_core.ports import AnswerLost, Storage
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.invitations.change import transition_if_allowed
from reviewinvite_core.usecases.privacy.read import Subscription

DAY = timedelta(days=1)
SHOP, ALL = Reach.THIS_SHOP, Reach.EVERY_SHOP
ASKED = Subscription(shop_name="Bakkerij De Molen", language=Language.NL, stopped=False, stopped_everywhere=False)
STOPPED = attrs.evolve(ASKED, stopped=True, can_resubscribe=True)


def report_elsewhere(harness: AppHarness, email: str = "anna@example.com") -> str:
    """The invitation of an order at another shop."""
    harness.app.shops.add(a_shop("other"))
    return harness.report(email, site_id="other").invite_id


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
