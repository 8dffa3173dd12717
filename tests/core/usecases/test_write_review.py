"""A customer writes a review by the link in the invitation: once, for as long as it is open."""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.core.usecases.stage import Play, Scene
from tests.http.service import run_concurrently
from tests.links import token_of

from reviewinvite_core.domain.invitations import Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.reviews import Act, NewReply, ReviewDraft, ReviewState
from reviewinvite_core.domain.scores import Distribution
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import AnswerLost, Refused, Storage
from reviewinvite_core.usecases.manage_reviews import ReviewQuery
from reviewinvite_core.usecases.write_review import LinkClosed, LinkState, ReviewLink

DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
GOOD = ReviewDraft(rating=5, text="Lekker!", author="Anna")
BAD = ReviewDraft(rating=1, language="en")


@pytest.fixture
def play(each_storage: Storage) -> Play:
    return Play(storage=each_storage)


def sent(play: Play, **fields: object) -> str:
    """The token of an invitation that was sent just now."""
    invite_id = play.report_due(**fields)
    play.deliver()
    assert play.now(invite_id).state is State.SENT
    return review_token(play, invite_id)


def review_token(play: Play, invite_id: str) -> str:
    return token_of(play.app, invite_id, Purpose.REVIEW)


def all_reviews(play: Play) -> list:
    return [record.review for record in play.app.list_reviews(ReviewQuery())]


def test_the_link_says_what_it_is_about_and_changes_nothing(play: Play) -> None:
    token = sent(play, language="en")
    link = play.app.show_review_link(token)
    assert link == ReviewLink(
        shop=play.app.show_shop("bakkerij-1"),
        order_number="1001",
        language=Language.EN,
        state=LinkState.OPEN,
        review=None,
        ends_at=play.clock.now() + 90 * DAY,
        in_doubt=False,
    )
    assert play.app.show_review_link(token) == link
    assert all_reviews(play) == []


def test_what_is_written_is_shown_and_counts(play: Play) -> None:
    token = sent(play)
    link = play.app.write_review(token, GOOD)
    assert link == play.app.show_review_link(token)
    assert (link.state, link.ends_at) == (LinkState.CHANGEABLE, play.clock.now() + 30 * DAY)
    review = link.review
    assert (review.rating, review.text, review.author, review.language) == (5, "Lekker!", "Anna", Language.NL)
    assert (review.state, review.written_at, review.edited_at) == (ReviewState.PUBLISHED, play.clock.now(), None)
    assert all_reviews(play) == [review]
    page = play.app.show_shop_reviews("bakkerij-1", None)
    assert (page.all_time, page.reviews) == (Distribution.of(5), [review])


def test_writing_again_changes_the_one_review(play: Play) -> None:
    token = sent(play)
    first = play.app.write_review(token, GOOD).review
    play.clock.advance(DAY)
    changed = play.app.write_review(token, BAD).review
    assert (changed.review_id, changed.rating, changed.text, changed.language) == (
        first.review_id,
        1,
        None,
        Language.EN,
    )
    assert (changed.written_at, changed.edited_at) == (first.written_at, play.clock.now())
    record = play.app.show_review(first.review_id)
    assert [each.act for each in record.history] == [Act.WRITTEN, Act.CHANGED]
    assert play.app.show_shop_reviews("bakkerij-1", None).all_time == Distribution.of(1)


def test_the_same_sent_twice_changes_nothing(play: Play) -> None:
    token = sent(play)
    first = play.app.write_review(token, GOOD)
    play.clock.advance(DAY)
    assert play.app.write_review(token, GOOD) == first


def test_what_is_withdrawn_is_gone_and_can_be_written_again(play: Play) -> None:
    token = sent(play)
    play.app.write_review(token, GOOD)
    play.clock.advance(DAY)
    gone = play.app.withdraw_review(token)
    assert (gone.state, gone.review.state) == (LinkState.CHANGEABLE, ReviewState.WITHDRAWN)
    assert (gone.review.rating, gone.review.text, gone.review.author) == (None, None, None)
    assert play.app.show_shop_reviews("bakkerij-1", None).reviews == []
    play.clock.advance(DAY)
    assert play.app.withdraw_review(token) == gone
    again = play.app.write_review(token, GOOD).review
    assert (again.review_id, again.state) == (gone.review.review_id, ReviewState.PUBLISHED)
    assert [each.act for each in play.app.show_review(again.review_id).history] == [
        *(Act.WRITTEN, Act.WITHDRAWN, Act.WRITTEN_AGAIN)
    ]


def test_who_wrote_nothing_has_nothing_to_withdraw(play: Play) -> None:
    token = sent(play)
    assert play.app.withdraw_review(token) == play.app.show_review_link(token)
    assert all_reviews(play) == []


def test_a_review_can_be_changed_for_thirty_days_and_not_an_instant_longer(play: Play) -> None:
    token = sent(play)
    play.app.write_review(token, GOOD)
    play.clock.advance(30 * DAY - TICK)
    changed = play.app.write_review(token, BAD)
    assert changed.state is LinkState.CHANGEABLE
    play.clock.advance(TICK)
    final = play.app.show_review_link(token)
    assert (final.state, final.review) == (LinkState.FINAL, changed.review)
    assert play.app.write_review(token, GOOD) == play.app.withdraw_review(token) == LinkClosed(final)
    assert play.app.show_review_link(token) == final


def test_a_review_can_be_written_a_hundred_times_and_still_be_withdrawn(play: Play) -> None:
    token = sent(play)
    for number in range(99):
        assert play.app.write_review(token, ReviewDraft(rating=number % 5 + 1)).state is LinkState.CHANGEABLE
    last = play.app.write_review(token, GOOD)
    assert (last.state, last.review.rating) == (LinkState.SPENT, 5)
    assert play.app.write_review(token, GOOD) == last == play.app.show_review_link(token)
    assert play.app.write_review(token, BAD) == LinkClosed(last)
    assert len(play.app.show_review(last.review.review_id).history) == 100
    gone = play.app.withdraw_review(token)
    assert (gone.state, gone.review.state) == (LinkState.SPENT, ReviewState.WITHDRAWN)
    assert play.app.write_review(token, GOOD) == LinkClosed(gone)
    assert play.app.withdraw_review(token) == gone
    play.clock.advance(30 * DAY)
    assert isinstance(play.app.withdraw_review(token), LinkClosed)


def test_what_others_do_to_a_review_takes_no_writing_away(play: Play) -> None:
    token = sent(play)
    review_id = play.app.write_review(token, GOOD).review.review_id
    for number in range(100):
        play.app.answer_review(play.caller, review_id, NewReply(text=str(number)))
    assert play.app.write_review(token, BAD).state is LinkState.CHANGEABLE


def test_what_was_withdrawn_cannot_be_written_again_after_the_thirty_days(play: Play) -> None:
    token = sent(play)
    play.app.write_review(token, GOOD)
    play.app.withdraw_review(token)
    play.clock.advance(30 * DAY)
    assert isinstance(play.app.write_review(token, GOOD), LinkClosed)


def test_the_link_ends_ninety_days_after_the_sending(play: Play) -> None:
    play.report_due()
    play.clock.advance(3 * DAY)  # no worker ran: what counts is when it was sent
    [invitation] = play.deliver()
    token = review_token(play, invitation.invite_id)
    play.clock.advance(90 * DAY - TICK)
    assert play.app.show_review_link(token).state is LinkState.OPEN
    play.clock.advance(TICK)
    ended = play.app.show_review_link(token)
    assert (ended.state, ended.ends_at, ended.shop.name) == (LinkState.ENDED, None, "Bakkerij De Molen")
    assert play.app.write_review(token, GOOD) == play.app.withdraw_review(token) == LinkClosed(ended)
    assert all_reviews(play) == []


def test_what_was_written_on_the_last_day_can_still_be_changed_for_thirty(play: Play) -> None:
    token = sent(play)
    play.clock.advance(90 * DAY - TICK)
    play.app.write_review(token, GOOD)
    play.clock.advance(30 * DAY - TICK)
    assert play.app.write_review(token, BAD).review.rating == 1


def test_how_long_a_link_lasts_is_a_setting(each_storage: Storage) -> None:
    play = Play(storage=each_storage, review_link_days=2)
    token = sent(play)
    play.clock.advance(2 * DAY - TICK)
    assert play.app.show_review_link(token).state is LinkState.OPEN
    play.clock.advance(TICK)
    assert play.app.show_review_link(token).state is LinkState.ENDED


def test_a_link_is_good_while_its_invitation_waits(play: Play) -> None:
    """As where a message that was thought refused has arrived all the same."""
    token = review_token(play, play.report().invite_id)
    link = play.app.show_review_link(token)
    assert (link.state, link.ends_at) == (LinkState.OPEN, None)
    assert play.app.write_review(token, GOOD).review.rating == 5


def cancelled(play: Play) -> str:
    invite_id = play.report().invite_id
    play.app.cancel_invitation(invite_id)
    return invite_id


def suppressed(play: Play) -> str:
    play.app.add_suppression("anna@example.com", None)
    return play.report().invite_id


def rejected(play: Play) -> str:
    play.mailer.scenes.append(Scene(answer=Refused("550")))
    invite_id = play.report_due()
    play.deliver()
    return invite_id


def expired(play: Play) -> str:
    invite_id = play.report_due()
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.advance(61 * DAY)
    play.deliver()
    return invite_id


@pytest.mark.parametrize("came_to", [cancelled, suppressed, rejected, expired])
def test_a_link_of_what_was_never_sent_is_ended(play: Play, came_to: Callable[[Play], str]) -> None:
    invite_id = came_to(play)
    assert play.now(invite_id).state == came_to.__name__
    token = review_token(play, invite_id)
    closed = play.app.write_review(token, GOOD)
    assert isinstance(closed, LinkClosed)
    assert (closed.link.state, closed.link) == (LinkState.ENDED, play.app.show_review_link(token))
    assert all_reviews(play) == []


def test_what_was_sent_once_more_can_be_reviewed_for_ninety_days_from_then(play: Play) -> None:
    play.mailer.scenes.append(Scene(answer=AnswerLost()))
    invite_id = play.report_due()
    play.deliver()
    play.clock.advance(10 * DAY)
    play.app.resolve_by_resending(invite_id)
    play.deliver()
    link = play.app.show_review_link(review_token(play, invite_id))
    assert (link.state, link.ends_at) == (LinkState.OPEN, play.clock.now() + 90 * DAY)


def test_where_an_older_copy_does_not_know_the_hand_over_the_time_runs_from_the_doubt(play: Play) -> None:
    invite_id = play.report_due()
    play.clock.advance(DAY)
    doubtful = play.now(invite_id).moved(State.UNCERTAIN, Reason.RECONCILED, play.clock.now())
    play.inside(lambda store: store.invitations.change(play.now(invite_id), doubtful))
    until = play.clock.now() + 90 * DAY
    token = review_token(play, invite_id)
    assert play.app.show_review_link(token).ends_at == until
    play.clock.advance(DAY)
    play.app.note_opened_link(token)
    assert play.app.show_review_link(token).ends_at == until


def test_an_opened_link_settles_what_was_in_doubt_and_once_only(play: Play) -> None:
    play.mailer.scenes += [Scene(answer=AnswerLost()), Scene(answer=AnswerLost())]
    first, second = (play.report_due(order_number=number) for number in ("1", "2"))
    play.deliver()
    token = review_token(play, first)
    handed_over = play.clock.now()
    play.clock.advance(2 * DAY)
    link = play.app.show_review_link(token)
    assert (link.in_doubt, link.ends_at) == (True, handed_over + 90 * DAY)
    assert play.now(first).state is State.UNCERTAIN
    assert play.app.note_opened_link(token)
    assert (play.now(first).state, play.now(first).reason) == (State.SENT, Reason.LINK_OPENED)
    opened = play.app.show_review_link(token)
    assert (opened.in_doubt, opened.ends_at) == (False, link.ends_at)
    assert not play.app.note_opened_link(token)
    assert play.now(second).state is State.UNCERTAIN


def test_who_withdraws_has_got_the_invitation_too(play: Play) -> None:
    play.mailer.scenes.append(Scene(answer=AnswerLost()))
    invite_id = play.report_due()
    play.deliver()
    assert not play.app.withdraw_review(review_token(play, invite_id)).in_doubt
    assert play.now(invite_id).state is State.SENT


def test_who_writes_has_got_the_invitation(play: Play) -> None:
    play.mailer.scenes.append(Scene(answer=AnswerLost()))
    invite_id = play.report_due()
    play.deliver()
    assert not play.app.write_review(review_token(play, invite_id), GOOD).in_doubt
    assert play.now(invite_id).state is State.SENT


def test_opening_a_link_settles_nothing_that_was_not_in_doubt(play: Play) -> None:
    invite_id = play.report().invite_id
    assert not play.app.note_opened_link(review_token(play, invite_id))
    assert play.reasons(invite_id) == [Reason.REPORTED]


def test_reviews_of_an_inactive_shop_are_taken(play: Play) -> None:
    token = sent(play)
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    assert play.app.write_review(token, GOOD).review.rating == 5


def test_a_token_altered_in_any_of_its_characters_opens_nothing() -> None:
    play = Play()
    token = sent(play)
    alphabet = string.ascii_letters + string.digits + "-_"
    for place, character in enumerate(token):
        other = alphabet[(alphabet.index(character) + 1) % 64]
        altered = token[:place] + other + token[place + 1 :]
        assert play.app.show_review_link(altered) is None
        assert play.app.write_review(altered, GOOD) is None
        assert play.app.withdraw_review(altered) is None
        assert not play.app.note_opened_link(altered)
    assert all_reviews(play) == []
    assert play.app.show_review_link(token).state is LinkState.OPEN


@pytest.mark.parametrize("token", ["", "x", "A" * 48, "\udc80", "A" * 47, "A" * 49, "../u/x"])
def test_a_text_that_is_no_token_opens_nothing(token: str) -> None:
    play = Play()
    play.report()
    assert play.app.show_review_link(token) is None
    assert play.app.write_review(token, GOOD) is None
    assert play.app.withdraw_review(token) is None
    assert not play.app.note_opened_link(token)


def test_the_token_of_the_opt_out_writes_nothing() -> None:
    play = Play()
    token = token_of(play.app, play.report().invite_id)
    assert play.app.show_review_link(token) is None
    assert play.app.write_review(token, GOOD) is None


def test_fifty_who_write_by_one_link_at_once_make_one_review(each_storage: Storage) -> None:
    play = Play(storage=each_storage)
    token = sent(play)
    with_commits = play.app.group_commit()

    def write(number: int) -> object:
        draft = ReviewDraft(rating=number % 5 + 1, text=str(number))
        if number % 2:
            return play.app.write_review(token, draft)
        return with_commits.submit(play.app.write_review.unit(token, draft)).result()

    links = run_concurrently(50, write)
    with_commits.close()
    [review] = all_reviews(play)
    assert {link.review.review_id for link in links} == {review.review_id}
    assert review.revision == 50
    assert review.text in {str(number) for number in range(50)}
    assert play.app.show_shop_reviews("bakkerij-1", None).all_time == Distribution.of(review.rating)
    assert len(play.app.show_review(review.review_id).history) == 50
