"""Operators hide reviews, shops reply, everybody reads; a person's words go with the person."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from tests.core.usecases.stage import Play
from tests.http.service import run_concurrently
from tests.links import token_of

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import ReviewStands, ReviewUnknown, ShopInactive, ShopUnknown
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.reviews import REVIEWS_LOCK, Act, HideReason, NewReply, Review, ReviewDraft, ReviewState
from reviewinvite_core.domain.scores import NO_REVIEWS, Distribution, Score
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import Storage, locks_of
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.manage_reviews import ReviewQuery
from reviewinvite_core.usecases.recount import miscounted
from reviewinvite_core.usecases.score_of import scores_of

DAY = timedelta(days=1)
SPAM, INSULT = HideReason.SPAM, HideReason.INSULT
THANKS = NewReply(text="Dank u!\nTot ziens.")
NOTHING = NewReply(text="")


@pytest.fixture
def play(each_storage: Storage) -> Play:
    return Play(storage=each_storage)


def token(play: Play, email: str = "anna@example.com", *, site: str = "bakkerij-1", **fields: object) -> str:
    """The token of an order's review link."""
    reported = play.app.report_order(play.app.act_for(site), an_order_report(email, delay=0, **fields))
    return token_of(play.app, reported.invite_id, Purpose.REVIEW)


def write(play: Play, email: str = "anna@example.com", *, rating: int = 5, **fields: object) -> Review:
    draft = ReviewDraft(rating=rating, text="Lekker!", author="Anna")
    return play.app.write_review(token(play, email, **fields), draft).review


def score(play: Play, site: str = "bakkerij-1") -> Score:
    def unit(work):
        shop = work.store.shops.by_site_id(site)
        return scores_of(work, [shop])[shop.number]

    return play.perform(unit)


def test_a_hidden_review_is_seen_no_longer_and_counts_no_longer(play: Play) -> None:
    review = write(play)
    assert score(play) == Score(count=1, total=5)
    play.clock.advance(DAY)
    hidden = play.app.hide_review(review.review_id, SPAM)
    assert (hidden.review.state, hidden.review.hidden_for) == (ReviewState.HIDDEN, SPAM)
    assert (hidden.shop.site_id.text, hidden.order_number) == ("bakkerij-1", "1001")
    assert [(each.act, each.hidden_for) for each in hidden.history] == [(Act.WRITTEN, None), (Act.HIDDEN, SPAM)]
    assert score(play) == NO_REVIEWS
    page = play.app.show_shop_reviews("bakkerij-1", None)
    assert (page.reviews, page.all_time, page.last_12_months) == ([], Distribution(), NO_REVIEWS)

    shown = play.app.show_review_again(review.review_id)
    assert (shown.review.state, shown.review.hidden_for) == (ReviewState.PUBLISHED, None)
    assert [each.act for each in shown.history] == [Act.WRITTEN, Act.HIDDEN, Act.SHOWN_AGAIN]
    assert score(play) == Score(count=1, total=5)


def test_what_many_do_at_once_is_done_one_after_the_other(play: Play) -> None:
    """Writer, operator, shop, and a person who is erased: nobody is in another's way, and the figures stay right."""
    link = token(play)
    review_id = play.app.write_review(link, ReviewDraft(rating=5, text="Lekker!", author="Anna")).review.review_id
    acts = (
        lambda number: play.app.write_review(link, ReviewDraft(rating=number % 5 + 1, text=str(number))),
        lambda _: play.app.withdraw_review(link),
        lambda _: play.app.hide_review(review_id, SPAM),
        lambda _: play.app.show_review_again(review_id),
        lambda number: play.app.erase_address("anna@example.com", keep_reviews=number % 2 == 0),
        lambda _: play.app.answer_review(play.caller, review_id, THANKS),
        lambda _: play.app.recount_reviews(),
    )
    told = run_concurrently(42, lambda number: acts[number % len(acts)](number))
    assert list(told[6::7]) == [[]] * 6  # there was never anything to mend
    record = play.app.show_review(review_id)
    assert len(record.history) == record.review.revision
    assert record.history[-1] == record.review.change
    assert play.storage.read(miscounted) == []
    published = record.review.state is ReviewState.PUBLISHED
    assert score(play) == (Score(count=1, total=record.review.rating) if published else NO_REVIEWS)


def test_all_that_changes_reviews_takes_the_one_lock() -> None:
    play = Play()
    link, review_id = token(play), str(uuid.UUID(int=1))
    units = [
        play.app.write_review.unit(link, ReviewDraft(rating=5)),
        play.app.withdraw_review.unit(link),
        play.app.answer_review.unit(play.caller, review_id, THANKS),
        play.app.receive_reply.unit(play.key, review_id, THANKS),
        play.app.hide_review.unit(review_id, SPAM),
        play.app.show_review_again.unit(review_id),
        play.app.erase_address.unit("anna@example.com"),
        play.app.recount_reviews.unit(),
    ]
    assert [REVIEWS_LOCK in locks_of([unit]) for unit in units] == [True] * len(units)


def test_hiding_or_showing_again_twice_changes_nothing_and_another_reason_takes_the_place(play: Play) -> None:
    review_id = write(play).review_id
    assert play.app.show_review_again(review_id) == play.app.show_review(review_id)
    hidden = play.app.hide_review(review_id, SPAM)
    play.clock.advance(DAY)
    assert play.app.hide_review(review_id.upper(), SPAM) == hidden
    assert play.app.hide_review(review_id, INSULT).review.hidden_for is INSULT


def test_what_is_withdrawn_can_be_neither_hidden_nor_shown_again(play: Play) -> None:
    link = token(play)
    review_id = play.app.write_review(link, ReviewDraft(rating=1)).review.review_id
    play.app.withdraw_review(link)
    assert play.app.hide_review(review_id, SPAM) == ReviewStands("withdrawn")
    assert play.app.show_review_again(review_id) == ReviewStands("withdrawn")


@pytest.mark.parametrize("review_id", ["", "x", "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"])
def test_a_review_that_is_not_there_is_unknown(review_id: str) -> None:
    play = Play()
    write(play)
    unknown = ReviewUnknown(review_id)
    assert play.app.show_review(review_id) == play.app.show_review_again(review_id) == unknown
    assert play.app.hide_review(review_id, SPAM) == unknown
    assert play.app.answer_review(play.caller, review_id, THANKS) == unknown


def test_the_newest_are_listed_by_shop_and_state(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    first = write(play)
    play.clock.advance(DAY)
    second = write(play, site="other")
    play.app.hide_review(first.review_id, SPAM)

    def listed(**query: object) -> list[str]:
        return [each.review.review_id for each in play.app.list_reviews(ReviewQuery(**query))]

    assert listed() == [second.review_id, first.review_id]
    assert listed(limit=1) == listed(site_id="other") == listed(state=ReviewState.PUBLISHED) == [second.review_id]
    assert listed(state=ReviewState.HIDDEN) == [first.review_id]
    assert play.app.list_reviews(ReviewQuery(site_id="nobody")) == ShopUnknown("nobody")


def test_a_shop_replies_once_and_a_later_reply_takes_the_place_of_the_first(play: Play) -> None:
    review = write(play)
    replied = play.app.answer_review(play.caller, review.review_id, THANKS)
    assert (replied.review.reply.text, replied.review.reply.replied_at) == (THANKS.text, play.clock.now())
    assert replied.order_number == "1001"
    play.clock.advance(DAY)
    assert play.app.answer_review(play.caller, review.review_id, THANKS) == replied
    again = play.app.answer_review(play.caller, review.review_id, NewReply(text="Graag gedaan."))
    assert (again.review.reply.text, again.review.edited_at) == ("Graag gedaan.", None)
    [shown] = play.app.show_shop_reviews("bakkerij-1", None).reviews
    assert shown.reply == again.review.reply
    assert play.app.answer_review(play.caller, review.review_id, NOTHING).review.reply is None
    assert play.app.answer_review(play.caller, review.review_id, NOTHING).review.reply is None
    assert [each.act for each in play.app.show_review(review.review_id).history] == [
        *(Act.WRITTEN, Act.REPLIED, Act.REPLIED, Act.REPLY_REMOVED)
    ]


def test_a_hidden_review_takes_no_reply_but_the_standing_one_can_be_taken_away(play: Play) -> None:
    review = write(play)
    play.app.answer_review(play.caller, review.review_id, THANKS)
    play.app.hide_review(review.review_id, SPAM)
    assert play.app.answer_review(play.caller, review.review_id, NewReply(text="x")) == ReviewStands("hidden")
    answered = play.app.answer_review(play.caller, review.review_id, NOTHING)
    assert (answered.review.reply, answered.review.text, answered.review.author) == (None, None, None)


def test_another_shops_review_is_unknown_to_a_shop(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    review = write(play, site="other")
    assert play.app.answer_review(play.caller, review.review_id, THANKS) == ReviewUnknown(review.review_id)
    assert play.app.list_own_reviews(play.caller, Bookmark.since(play.clock.now()), 10).reviews == []


def test_an_inactive_shop_does_not_reply(play: Play) -> None:
    review = write(play)
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    assert play.app.answer_review(play.caller, review.review_id, THANKS) == ShopInactive()


def test_the_public_page_has_twenty_reviews_at_a_time(play: Play) -> None:
    written = []
    for number in range(41):
        written.insert(0, write(play, f"c{number}@example.com", rating=number % 5 + 1).review_id)
        play.clock.advance(timedelta(seconds=number % 2))  # pairs of the same instant
    seen, sizes, place = [], [], None
    while True:
        page = play.app.show_shop_reviews("bakkerij-1", place)
        seen += [each.review_id for each in page.reviews]
        sizes.append(len(page.reviews))
        assert page.all_time == Distribution((9, 8, 8, 8, 8))
        if page.next is None:
            break
        place = Bookmark.parse(page.next.text)
    assert sizes == [20, 20, 1]
    assert sorted(seen) == sorted(written)
    assert len(set(seen)) == 41
    assert play.app.show_shop_reviews("nobody", None) == ShopUnknown("nobody")


def test_a_last_page_that_is_full_has_no_next(play: Play) -> None:
    for number in range(20):
        write(play, f"c{number}@example.com")
    assert play.app.show_shop_reviews("bakkerij-1", None).next is None


def test_a_shop_reads_on_from_where_it_was_and_misses_no_change(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    begun = play.clock.now()
    first, second, third = (write(play, order_number=str(number)) for number in range(3))
    write(play, site="other")
    page = play.app.list_own_reviews(play.caller, Bookmark.since(begun), 2)
    rest = play.app.list_own_reviews(play.caller, page.next, 2)
    found = [*page.reviews, *rest.reviews]
    assert (page.more, rest.more) == (True, False)
    assert {each.review.review_id: each.order_number for each in found} == {
        first.review_id: "0",
        second.review_id: "1",
        third.review_id: "2",
    }
    assert play.app.list_own_reviews(play.caller, rest.next, 2).next == rest.next
    play.clock.advance(DAY)
    play.app.hide_review(second.review_id, HideReason.PERSONAL_DATA)
    [changed] = play.app.list_own_reviews(play.caller, rest.next, 2).reviews
    seen = changed.review
    assert (seen.review_id, seen.state, seen.hidden_for) == (second.review_id, "hidden", "personal_data")
    assert (seen.rating, seen.text, seen.author) == (5, None, None)
    assert play.app.list_own_reviews(play.caller, Bookmark.since(play.clock.now()), 2).reviews == [changed]


def test_a_review_counts_for_twelve_months_and_stays_of_all_time(play: Play) -> None:
    write(play, rating=4)
    play.clock.advance(364 * DAY)
    assert score(play) == Score(count=1, total=4)
    play.clock.advance(DAY)
    page = play.app.show_shop_reviews("bakkerij-1", None)
    assert (score(play), page.last_12_months, page.all_time) == (NO_REVIEWS, NO_REVIEWS, Distribution.of(4))


def test_erasing_a_person_erases_what_the_person_wrote(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    here, there, spared = write(play), write(play, site="other"), write(play, "bert@example.com", rating=1)
    play.app.answer_review(play.caller, here.review_id, THANKS)
    erasure = play.app.erase_address("ANNA@example.com")
    assert (erasure.erased, erasure.reviews) == (2, 2)
    for review in (here, there):
        gone = play.app.show_review(review.review_id)
        assert (gone.review.state, gone.review.act) == (ReviewState.WITHDRAWN, Act.ERASED)
        assert (gone.review.rating, gone.review.text, gone.review.author, gone.review.reply) == (None,) * 4
    assert score(play) == Score(count=1, total=1)
    assert score(play, "other") == NO_REVIEWS
    assert play.app.show_review(spared.review_id).review == spared
    assert play.app.erase_address("anna@example.com").reviews == 0


def test_a_persons_reviews_can_be_kept_without_the_name(play: Play) -> None:
    review = write(play)
    assert play.app.erase_address("anna@example.com", keep_reviews=True).reviews == 1
    kept = play.app.show_review(review.review_id).review
    assert (kept.author, kept.text, kept.rating, kept.act) == (None, "Lekker!", 5, Act.NAME_REMOVED)
    assert score(play) == Score(count=1, total=5)
    assert play.app.erase_address("anna@example.com", keep_reviews=True).reviews == 0
    assert play.app.erase_address("anna@example.com").reviews == 1


def test_reviews_outlive_the_time_of_the_address(play: Play) -> None:
    review = write(play)
    play.clock.advance(91 * DAY)
    assert play.app.erase_expired().erased == 1
    assert play.app.show_review(review.review_id).review == review


def test_what_is_held_about_a_person_has_the_reviews_also_after_the_erasure(play: Play) -> None:
    review = write(play)
    write(play, "bert@example.com")
    [held] = play.app.export_address("anna@example.com").reviews
    assert (held.review, held.order_number, held.shop.site_id.text) == (review, "1001", "bakkerij-1")
    assert [each.act for each in held.history] == [Act.WRITTEN]
    play.app.erase_address("anna@example.com")
    [held] = play.app.export_address("anna@example.com").reviews
    assert held.review.text is None
    assert [each.act for each in held.history] == [Act.WRITTEN, Act.ERASED]


def test_a_shop_without_reviews_has_no_score_and_many_are_asked_at_once(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    write(play, rating=2)

    def unit(work):
        return scores_of(work, work.store.shops.every())

    assert sorted(play.perform(unit).items()) == [(1, Score(count=1, total=2)), (2, NO_REVIEWS)]
