"""A customer opts out by the link in an invitation: once, for ever, and for as many shops as wanted."""

from __future__ import annotations

from datetime import timedelta

import attrs
from tests.core.usecases.harness import AppHarness, MailScript
from tests.links import token_of

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.suppressions import Reach
from reviewinvite_core.ports import AnswerLost
from reviewinvite_core.usecases.invitations.change import transition_if_allowed
from reviewinvite_core.usecases.privacy.read import Subscription

DAY = timedelta(days=1)
SHOP, ALL = Reach.THIS_SHOP, Reach.EVERY_SHOP
ASKED = Subscription(shop_name="Bakkerij De Molen", language=Language.NL, stopped=False, stopped_everywhere=False)
STOPPED = attrs.evolve(ASKED, stopped=True, can_resubscribe=True)


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
