"""Many uncertain invitations are resolved at once, by shop or by reason (spec §3)."""

from __future__ import annotations

import pytest
from tests.core.usecases.harness import AppHarness, MailScript

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.ports import AnswerLost
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.invitations import change as invitations
from reviewinvite_core.usecases.invitations.change import ManyResolved, UncertainQuery

LOST = UncertainQuery(reason=Reason.ANSWER_LOST)


@pytest.fixture
def harness() -> AppHarness:
    """A harness with five invitations at one shop and one at another, of which all answers were lost."""
    made = AppHarness(*[MailScript(answer=AnswerLost())] * 6)
    made.app.shops.add(a_shop("slagerij-2"))
    for number in range(5):
        made.report_due(f"c{number}@example.com")
    made.report_due("other@example.com", site_id="slagerij-2")
    assert {each.state for each in made.deliver()} == {State.UNCERTAIN}
    return made


def states(harness: AppHarness) -> list[tuple[State, Reason]]:
    found = harness.storage.read(lambda store: store.invitations.newest(shop=None, state=None, limit=99))
    return [(each.state, each.reason) for _, each in found]


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_all_of_a_shop_have_arrived(harness: AppHarness, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "MOST_AT_ONCE", batch)
    asked = UncertainQuery(site_id="bakkerij-1")
    assert harness.app.invitations.count_uncertain(asked) == 5
    assert harness.app.invitations.resolve_many(asked, resend=False) == ManyResolved(resolved=5)
    assert sorted(states(harness)) == [*[(State.SENT, Reason.OPERATOR)] * 5, (State.UNCERTAIN, Reason.ANSWER_LOST)]
    assert harness.app.invitations.resolve_many(asked, resend=False) == ManyResolved()


def test_all_of_a_reason_are_sent_once_more_and_one_whose_answer_is_lost_again_stays(harness: AppHarness) -> None:
    assert harness.app.invitations.count_uncertain(UncertainQuery(reason=Reason.RECONCILED)) == 0
    assert harness.app.invitations.resolve_many(UncertainQuery(reason=Reason.RECONCILED), resend=True) == ManyResolved()
    assert harness.app.invitations.resolve_many(LOST, resend=True) == ManyResolved(resolved=6)
    assert set(states(harness)) == {(State.SCHEDULED, Reason.OPERATOR)}
    harness.mailer.scripts = [MailScript(answer=AnswerLost())]
    harness.deliver()
    assert sorted(state for state, _ in states(harness)) == [*[State.SENT] * 5, State.UNCERTAIN]


def test_what_was_erased_cannot_be_sent_once_more_and_is_counted(harness: AppHarness) -> None:
    harness.app.privacy.erase_address("c3@example.com")
    assert harness.app.invitations.resolve_many(LOST, resend=True) == ManyResolved(resolved=5, erased=1)
    assert (State.UNCERTAIN, Reason.ANSWER_LOST) in states(harness)
    assert harness.app.invitations.resolve_many(LOST, resend=False) == ManyResolved(resolved=1)


def test_an_unknown_shop_is_refused(harness: AppHarness) -> None:
    asked = UncertainQuery(site_id="nobody")
    assert harness.app.invitations.count_uncertain(asked) == ShopUnknown("nobody")
    assert harness.app.invitations.resolve_many(asked, resend=True) == ShopUnknown("nobody")


def test_what_was_resolved_or_settled_meanwhile_is_left_alone(harness: AppHarness) -> None:
    found = harness.storage.read(lambda store: store.invitations.uncertain(shop=None, reason=None, after=None, limit=9))
    harness.app.invitations.resolve_as_sent(found[0].invite_id)
    resolved = harness.transactions.run(lambda ctx: resolve_many.resolve_batch(ctx, found, resend=True))
    assert resolved == ManyResolved(resolved=5)
