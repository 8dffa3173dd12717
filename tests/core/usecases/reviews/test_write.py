"""A customer writes a review by the link in the invitation: once, for as long as it is open."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.core.usecases.harness import AppHarness, MailScript, open_link, present, review_of
from tests.links import token_of
from tests.waiting import run_concurrently

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.application.units import group_commit_of, unit_of
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.reviews import NewReply, Review, ReviewDraft
from reviewinvite_core.domain.scores import Distribution
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import AnswerLost, RefusedForNow, Rejected, Storage
from reviewinvite_core.usecases.reviews.link import LinkClosed, LinkState, write_review
from reviewinvite_core.usecases.reviews.read import ReviewQuery

DAY = timedelta(days=1)
GOOD = ReviewDraft(rating=5, text="Lekker!", author="Anna")
BAD = ReviewDraft(rating=1, language="en")


def sent(harness: AppHarness, **fields: Any) -> str:
    """The token of an invitation that was sent just now."""
    invite_id = harness.report_due(**fields)
    harness.deliver()
    assert harness.invitation(invite_id).state is State.SENT
    return review_token(harness, invite_id)


def review_token(harness: AppHarness, invite_id: str) -> str:
    return token_of(harness.app, invite_id, Purpose.REVIEW)


def all_reviews(harness: AppHarness) -> list[Review]:
    return [record.review for record in accepted(harness.app.reviews.list(ReviewQuery()))]


def test_what_others_do_to_a_review_takes_no_writing_away(harness: AppHarness) -> None:
    token = sent(harness)
    review_id = review_of(harness.write_review(token, GOOD)).review_id
    for number in range(100):
        harness.app.reviews.reply(harness.caller, review_id, NewReply(text=str(number)))
    assert harness.write_review(token, BAD).state is LinkState.CHANGEABLE


def test_a_link_is_good_while_its_invitation_waits(harness: AppHarness) -> None:
    """As where a message that was thought refused has arrived all the same."""
    token = review_token(harness, harness.report().invite_id)
    link = harness.show_link(token)
    assert (link.state, link.ends_at) == (LinkState.OPEN, None)
    assert review_of(harness.write_review(token, GOOD)).rating == 5


def cancelled(harness: AppHarness) -> str:
    invite_id = harness.report().invite_id
    harness.app.invitations.cancel(OPERATOR, invite_id)
    return invite_id


def suppressed(harness: AppHarness) -> str:
    harness.app.privacy.suppress("anna@example.com", None)
    return harness.report().invite_id


def rejected(harness: AppHarness) -> str:
    harness.mailer.scripts.append(MailScript(answer=Rejected("550 5.2.1")))
    invite_id = harness.report_due()
    harness.deliver()
    return invite_id


def expired(harness: AppHarness) -> str:
    invite_id = harness.report_due()
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    harness.clock.advance(61 * DAY)
    harness.deliver()
    return invite_id


@pytest.mark.parametrize("came_to", [cancelled, suppressed, rejected, expired])
def test_a_link_of_what_was_never_sent_is_ended(harness: AppHarness, came_to: Callable[[AppHarness], str]) -> None:
    invite_id = came_to(harness)
    assert harness.invitation(invite_id).state == came_to.__name__
    token = review_token(harness, invite_id)
    closed = harness.app.reviews.write(token, GOOD)
    assert isinstance(closed, LinkClosed)
    assert (closed.link.state, closed.link) == (LinkState.EXPIRED, harness.app.reviews.show_link(token))
    assert all_reviews(harness) == []


def test_what_was_sent_once_more_can_be_reviewed_for_ninety_days_from_then(harness: AppHarness) -> None:
    harness.mailer.scripts.append(MailScript(answer=AnswerLost()))
    invite_id = harness.report_due()
    harness.deliver()
    harness.clock.advance(10 * DAY)
    harness.app.invitations.resolve_by_resending(invite_id)
    harness.deliver()
    link = harness.show_link(review_token(harness, invite_id))
    assert (link.state, link.ends_at) == (LinkState.OPEN, harness.clock.now() + 90 * DAY)


def test_where_an_older_copy_does_not_know_the_hand_over_the_time_runs_from_the_doubt(harness: AppHarness) -> None:
    invite_id = harness.report_due()
    harness.clock.advance(DAY)
    doubtful = harness.invitation(invite_id).moved(State.UNCERTAIN, Reason.RECONCILED, harness.clock.now())
    harness.in_transaction(lambda store: store.invitations.change(harness.invitation(invite_id), doubtful))
    until = harness.clock.now() + 90 * DAY
    token = review_token(harness, invite_id)
    assert harness.show_link(token).ends_at == until
    harness.clock.advance(DAY)
    harness.app.reviews.note_opened(token)
    assert harness.show_link(token).ends_at == until


def test_a_review_written_while_it_is_staged_again_keeps_the_message_in(harness: AppHarness) -> None:
    invite_id = harness.report_due()
    token = review_token(harness, invite_id)
    harness.mailer.scripts += [
        MailScript(answer=RefusedForNow("451 4.3.0")),
        MailScript(while_staged=lambda: harness.write_review(token, GOOD)),
    ]
    harness.deliver()
    harness.clock.advance(DAY)
    assert [(each.state, each.reason) for each in harness.deliver()] == [(State.SENT, Reason.REVIEWED)]
    assert (len(harness.mailer.committed), len(harness.mailer.abandoned)) == (1, 1)


def test_a_review_written_before_the_server_refused_for_now_stops_the_next_attempt(harness: AppHarness) -> None:
    invite_id = harness.report_due()
    token = review_token(harness, invite_id)
    script = MailScript(while_handed_over=lambda: harness.write_review(token, GOOD), answer=RefusedForNow("451 4.3.0"))
    harness.mailer.scripts.append(script)
    harness.deliver()
    assert harness.state(invite_id) == (State.SCHEDULED, Reason.REFUSED_FOR_NOW)
    harness.clock.advance(DAY)
    assert [(each.state, each.reason) for each in harness.deliver()] == [(State.SENT, Reason.REVIEWED)]
    assert (len(harness.mailer.committed), len(harness.mailer.abandoned)) == (1, 1)


def test_a_review_of_what_was_never_handed_over_leaves_it_scheduled(harness: AppHarness) -> None:
    invite_id = harness.report_due()
    harness.write_review(review_token(harness, invite_id), GOOD)
    assert harness.invitation(invite_id).state is State.SCHEDULED


def test_a_link_that_is_only_opened_stops_nothing_that_is_scheduled(harness: AppHarness) -> None:
    harness.mailer.scripts.append(MailScript(at_stage=RefusedForNow("451 4.3.0")))
    invite_id = harness.report_due()
    harness.deliver()
    assert not harness.app.reviews.note_opened(review_token(harness, invite_id))
    assert harness.invitation(invite_id).state is State.SCHEDULED


def test_who_withdraws_has_got_the_invitation_too(harness: AppHarness) -> None:
    harness.mailer.scripts.append(MailScript(answer=AnswerLost()))
    invite_id = harness.report_due()
    harness.deliver()
    assert not harness.withdraw_review(review_token(harness, invite_id)).in_doubt
    assert harness.invitation(invite_id).state is State.SENT


def test_opening_a_link_settles_nothing_that_was_not_in_doubt(harness: AppHarness) -> None:
    invite_id = harness.report().invite_id
    assert not harness.app.reviews.note_opened(review_token(harness, invite_id))
    assert harness.reasons(invite_id) == [Reason.REPORTED]


def test_reviews_of_an_inactive_shop_are_taken(harness: AppHarness) -> None:
    token = sent(harness)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    assert review_of(harness.write_review(token, GOOD)).rating == 5


def test_fifty_who_write_by_one_link_at_once_make_one_review(concurrent_storage: Storage) -> None:
    harness = AppHarness(storage=concurrent_storage)
    token = sent(harness)
    with_commits = group_commit_of(harness.app)

    def write(number: int) -> object:
        draft = ReviewDraft(rating=number % 5 + 1, text=str(number))
        if number % 2:
            return harness.app.reviews.write(token, draft)
        return with_commits.run(unit_of(harness.app, write_review, token, draft))

    links = run_concurrently(50, write)
    with_commits.close()
    [review] = all_reviews(harness)
    assert {review_of(open_link(link)).review_id for link in links} == {review.review_id}
    assert review.revision == 50
    assert review.text in {str(number) for number in range(50)}
    assert accepted(harness.app.reviews.show_public("bakkerij-1", None)).all_time == Distribution.of(
        present(review.rating)
    )
    assert len(accepted(harness.app.reviews.show(OPERATOR, review.review_id)).history) == 50
