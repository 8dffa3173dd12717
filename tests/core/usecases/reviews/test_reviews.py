"""Operators hide reviews, shops reply, everybody reads; a person's words go with the person."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from tests.core.usecases.harness import AppHarness, present, review_of
from tests.links import token_of
from tests.waiting import run_concurrently

from reviewinvite_core import MerchantReviewQuery, accepted
from reviewinvite_core.application.units import unit_of
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import ReviewStateConflict, ReviewUnknown, ShopInactive, ShopUnknown
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.reviews import REVIEWS_LOCK, Act, HideReason, NewReply, Review, ReviewDraft, ReviewState
from reviewinvite_core.domain.scores import NO_REVIEWS, Distribution, Score
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.execution import locks_in_order
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.change import erase_address
from reviewinvite_core.usecases.reviews.change import (
    hide_review,
    miscounted,
    recount,
    reply_to_review,
    show_review_again,
)
from reviewinvite_core.usecases.reviews.link import withdraw_review, write_review
from reviewinvite_core.usecases.reviews.read import ReviewQuery, scores_for_shops
from reviewinvite_core.values import MerchantReviews

DAY = timedelta(days=1)
SPAM, INSULT = HideReason.SPAM, HideReason.INSULT
THANKS = NewReply(text="Dank u!\nTot ziens.")
NOTHING = NewReply(text="")


def token(harness: AppHarness, email: str = "anna@example.com", *, site: str = "bakkerij-1", **fields: Any) -> str:
    """Report an order, and return the token of its review link."""
    return token_of(harness.app, harness.report(email, site_id=site, delay=0, **fields).invite_id, Purpose.REVIEW)


def write(harness: AppHarness, email: str = "anna@example.com", *, rating: int = 5, **fields: Any) -> Review:
    draft = ReviewDraft(rating=rating, text="Lekker!", author="Anna")
    return review_of(harness.write_review(token(harness, email, **fields), draft))


def score(harness: AppHarness, site: str = "bakkerij-1") -> Score:
    def unit(work: UnitContext) -> Score:
        shop = present(work.store.shops.by_site_id(site))
        return scores_for_shops(work, [shop])[shop.number]

    return harness.transactions.run(unit)


def test_a_hidden_review_is_seen_no_longer_and_counts_no_longer(harness: AppHarness) -> None:
    review = write(harness)
    assert score(harness) == Score(count=1, total=5)
    harness.clock.advance(DAY)
    hidden = accepted(harness.app.reviews.hide(review.review_id, SPAM))
    assert (hidden.review.state, hidden.review.hidden_for) == (ReviewState.HIDDEN, SPAM)
    assert (hidden.shop.site_id.text, hidden.order_number) == ("bakkerij-1", "1001")
    assert [(each.act, each.hidden_for) for each in hidden.history] == [(Act.WRITTEN, None), (Act.HIDDEN, SPAM)]
    assert score(harness) == NO_REVIEWS
    page = accepted(harness.app.reviews.show_public("bakkerij-1", None))
    assert (page.reviews, page.all_time, page.last_12_months) == ([], Distribution(), NO_REVIEWS)

    shown = accepted(harness.app.reviews.show_again(review.review_id))
    assert (shown.review.state, shown.review.hidden_for) == (ReviewState.PUBLISHED, None)
    assert [each.act for each in shown.history] == [Act.WRITTEN, Act.HIDDEN, Act.SHOWN_AGAIN]
    assert score(harness) == Score(count=1, total=5)


def test_what_many_do_at_once_is_done_one_after_the_other(concurrent_harness: AppHarness) -> None:
    """Writer, operator, shop, and a person who is erased: nobody is in another's way, and the figures stay right."""
    link = token(concurrent_harness)
    review_id = review_of(
        concurrent_harness.write_review(link, ReviewDraft(rating=5, text="Lekker!", author="Anna"))
    ).review_id
    acts = (
        lambda number: concurrent_harness.app.reviews.write(link, ReviewDraft(rating=number % 5 + 1, text=str(number))),
        lambda _: concurrent_harness.app.reviews.withdraw(link),
        lambda _: concurrent_harness.app.reviews.hide(review_id, SPAM),
        lambda _: concurrent_harness.app.reviews.show_again(review_id),
        lambda number: concurrent_harness.app.privacy.erase_address("anna@example.com", keep_reviews=number % 2 == 0),
        lambda _: concurrent_harness.app.reviews.reply(concurrent_harness.caller, review_id, THANKS),
        lambda _: concurrent_harness.app.reviews.recount(),
    )
    told = run_concurrently(42, lambda number: acts[number % len(acts)](number))
    assert list(told[6::7]) == [[]] * 6  # there was never anything to mend
    record = accepted(concurrent_harness.app.reviews.show(review_id))
    assert len(record.history) == record.review.revision
    assert record.history[-1] == record.review.change
    assert concurrent_harness.storage.read(miscounted) == []
    published = record.review.state is ReviewState.PUBLISHED
    assert score(concurrent_harness) == (
        Score(count=1, total=present(record.review.rating)) if published else NO_REVIEWS
    )


def test_all_that_changes_reviews_takes_the_one_lock() -> None:
    harness = AppHarness()
    link, review_id = token(harness), str(uuid.UUID(int=1))
    units = [
        unit_of(harness.app, write_review, link, ReviewDraft(rating=5)),
        unit_of(harness.app, withdraw_review, link),
        unit_of(harness.app, reply_to_review, harness.caller, review_id, THANKS),
        unit_of(harness.app, reply_to_review, harness.key, review_id, THANKS),
        unit_of(harness.app, hide_review, review_id, SPAM),
        unit_of(harness.app, show_review_again, review_id),
        unit_of(harness.app, erase_address, "anna@example.com"),
        unit_of(harness.app, recount),
    ]
    assert [REVIEWS_LOCK in locks_in_order([unit]) for unit in units] == [True] * len(units)


def test_hiding_or_showing_again_twice_changes_nothing_and_another_reason_takes_the_place(harness: AppHarness) -> None:
    review_id = write(harness).review_id
    assert harness.app.reviews.show_again(review_id) == harness.app.reviews.show(review_id)
    hidden = harness.app.reviews.hide(review_id, SPAM)
    harness.clock.advance(DAY)
    assert harness.app.reviews.hide(review_id, SPAM) == hidden
    assert accepted(harness.app.reviews.hide(review_id, INSULT)).review.hidden_for is INSULT


def test_what_is_withdrawn_can_be_neither_hidden_nor_shown_again(harness: AppHarness) -> None:
    link = token(harness)
    review_id = review_of(harness.write_review(link, ReviewDraft(rating=1))).review_id
    harness.app.reviews.withdraw(link)
    assert harness.app.reviews.hide(review_id, SPAM) == ReviewStateConflict("withdrawn")
    assert harness.app.reviews.show_again(review_id) == ReviewStateConflict("withdrawn")


@pytest.mark.parametrize("review_id", ["", "x", "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"])
def test_a_review_that_is_not_there_is_unknown(review_id: str) -> None:
    harness = AppHarness()
    write(harness)
    unknown = ReviewUnknown(review_id)
    assert harness.app.reviews.show(review_id) == harness.app.reviews.show_again(review_id) == unknown
    assert harness.app.reviews.hide(review_id, SPAM) == unknown
    assert harness.app.reviews.reply(harness.caller, review_id, THANKS) == unknown


def test_the_newest_are_listed_by_shop_and_state(harness: AppHarness) -> None:
    harness.app.shops.add(a_shop("other"))
    first = write(harness)
    harness.clock.advance(DAY)
    second = write(harness, site="other")
    harness.app.reviews.hide(first.review_id, SPAM)

    def listed(**query: Any) -> list[str]:
        return [each.review.review_id for each in accepted(harness.app.reviews.list(ReviewQuery(**query)))]

    assert listed() == [second.review_id, first.review_id]
    assert listed(limit=1) == listed(site_id="other") == listed(state=ReviewState.PUBLISHED) == [second.review_id]
    assert listed(state=ReviewState.HIDDEN) == [first.review_id]
    assert harness.app.reviews.list(ReviewQuery(site_id="nobody")) == ShopUnknown("nobody")


def test_a_shop_replies_once_and_a_later_reply_takes_the_place_of_the_first(harness: AppHarness) -> None:
    review = write(harness)
    replied = accepted(harness.app.reviews.reply(harness.caller, review.review_id, THANKS))
    assert (present(replied.review.reply).text, present(replied.review.reply).replied_at) == (
        THANKS.text,
        harness.clock.now(),
    )
    assert replied.order_number == "1001"
    harness.clock.advance(DAY)
    assert harness.app.reviews.reply(harness.caller, review.review_id, THANKS) == replied
    again = accepted(harness.app.reviews.reply(harness.caller, review.review_id, NewReply(text="Graag gedaan.")))
    assert (present(again.review.reply).text, again.review.edited_at) == ("Graag gedaan.", None)
    [shown] = accepted(harness.app.reviews.show_public("bakkerij-1", None)).reviews
    assert shown.reply == again.review.reply
    assert accepted(harness.app.reviews.reply(harness.caller, review.review_id, NOTHING)).review.reply is None
    assert accepted(harness.app.reviews.reply(harness.caller, review.review_id, NOTHING)).review.reply is None
    assert [each.act for each in accepted(harness.app.reviews.show(review.review_id)).history] == [
        *(Act.WRITTEN, Act.REPLIED, Act.REPLIED, Act.REPLY_REMOVED)
    ]


def test_a_hidden_review_takes_no_reply_but_the_standing_one_can_be_taken_away(harness: AppHarness) -> None:
    review = write(harness)
    harness.app.reviews.reply(harness.caller, review.review_id, THANKS)
    harness.app.reviews.hide(review.review_id, SPAM)
    assert harness.app.reviews.reply(harness.caller, review.review_id, NewReply(text="x")) == ReviewStateConflict(
        "hidden"
    )
    answered = accepted(harness.app.reviews.reply(harness.caller, review.review_id, NOTHING))
    assert (answered.review.reply, answered.review.text, answered.review.author) == (None, None, None)


def changes_after(harness: AppHarness, place: Bookmark, limit: int) -> MerchantReviews:
    return accepted(harness.app.reviews.list_changes(harness.caller, MerchantReviewQuery(after=place, limit=limit)))


def test_another_shops_review_is_unknown_to_a_shop(harness: AppHarness) -> None:
    harness.app.shops.add(a_shop("other"))
    review = write(harness, site="other")
    assert harness.app.reviews.reply(harness.caller, review.review_id, THANKS) == ReviewUnknown(review.review_id)
    assert changes_after(harness, Bookmark.since(harness.clock.now()), 10).reviews == []


def test_an_inactive_shop_does_not_reply(harness: AppHarness) -> None:
    review = write(harness)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    assert harness.app.reviews.reply(harness.caller, review.review_id, THANKS) == ShopInactive()


def test_the_public_page_has_twenty_reviews_at_a_time(harness: AppHarness) -> None:
    written: list[str] = []
    seen: list[str] = []
    sizes: list[int] = []
    for number in range(41):
        written.insert(0, write(harness, f"c{number}@example.com", rating=number % 5 + 1).review_id)
        harness.clock.advance(timedelta(seconds=number % 2))  # pairs of the same instant
    place = None
    while True:
        page = accepted(harness.app.reviews.show_public("bakkerij-1", place))
        seen += [each.review_id for each in page.reviews]
        sizes.append(len(page.reviews))
        assert page.all_time == Distribution((9, 8, 8, 8, 8))
        if page.next is None:
            break
        place = Bookmark.parse(present(page.next).text)
    assert sizes == [20, 20, 1]
    assert sorted(seen) == sorted(written)
    assert len(set(seen)) == 41
    assert harness.app.reviews.show_public("nobody", None) == ShopUnknown("nobody")


def test_a_last_page_that_is_full_has_no_next(harness: AppHarness) -> None:
    for number in range(20):
        write(harness, f"c{number}@example.com")
    assert accepted(harness.app.reviews.show_public("bakkerij-1", None)).next is None


def test_a_shop_reads_on_from_where_it_was_and_misses_no_change(harness: AppHarness) -> None:
    harness.app.shops.add(a_shop("other"))
    begun = harness.clock.now()
    first, second, third = (write(harness, order_number=str(number)) for number in range(3))
    write(harness, site="other")
    page = changes_after(harness, Bookmark.since(begun), 2)
    rest = changes_after(harness, page.next, 2)
    found = [*page.reviews, *rest.reviews]
    assert (page.more, rest.more) == (True, False)
    assert {each.review.review_id: each.order_number for each in found} == {
        first.review_id: "0",
        second.review_id: "1",
        third.review_id: "2",
    }
    assert changes_after(harness, rest.next, 2).next == rest.next
    harness.clock.advance(DAY)
    harness.app.reviews.hide(second.review_id, HideReason.PERSONAL_DATA)
    [changed] = changes_after(harness, rest.next, 2).reviews
    seen = changed.review
    assert (seen.review_id, seen.state, seen.hidden_for) == (second.review_id, "hidden", "personal_data")
    assert (seen.rating, seen.text, seen.author) == (5, None, None)
    assert changes_after(harness, Bookmark.since(harness.clock.now()), 2).reviews == [changed]


def test_a_review_counts_for_twelve_months_and_stays_of_all_time(harness: AppHarness) -> None:
    write(harness, rating=4)
    harness.clock.advance(364 * DAY)
    assert score(harness) == Score(count=1, total=4)
    harness.clock.advance(DAY)
    page = accepted(harness.app.reviews.show_public("bakkerij-1", None))
    assert (score(harness), page.last_12_months, page.all_time) == (NO_REVIEWS, NO_REVIEWS, Distribution.of(4))


def test_erasing_a_person_erases_what_the_person_wrote(harness: AppHarness) -> None:
    harness.app.shops.add(a_shop("other"))
    here, there, spared = write(harness), write(harness, site="other"), write(harness, "bert@example.com", rating=1)
    harness.app.reviews.reply(harness.caller, here.review_id, THANKS)
    erasure = harness.app.privacy.erase_address("ANNA@example.com")
    assert (erasure.erased, erasure.reviews) == (2, 2)
    for review in (here, there):
        gone = accepted(harness.app.reviews.show(review.review_id))
        assert (gone.review.state, gone.review.act) == (ReviewState.WITHDRAWN, Act.ERASED)
        assert (gone.review.rating, gone.review.text, gone.review.author, gone.review.reply) == (None,) * 4
    assert score(harness) == Score(count=1, total=1)
    assert score(harness, "other") == NO_REVIEWS
    assert accepted(harness.app.reviews.show(spared.review_id)).review == spared
    assert harness.app.privacy.erase_address("anna@example.com").reviews == 0


def test_a_persons_reviews_can_be_kept_without_the_name(harness: AppHarness) -> None:
    review = write(harness)
    assert harness.app.privacy.erase_address("anna@example.com", keep_reviews=True).reviews == 1
    kept = accepted(harness.app.reviews.show(review.review_id)).review
    assert (kept.author, kept.text, kept.rating, kept.act) == (None, "Lekker!", 5, Act.NAME_REMOVED)
    assert score(harness) == Score(count=1, total=5)
    assert harness.app.privacy.erase_address("anna@example.com", keep_reviews=True).reviews == 0
    assert harness.app.privacy.erase_address("anna@example.com").reviews == 1


def test_reviews_outlive_the_time_of_the_address(harness: AppHarness) -> None:
    review = write(harness)
    harness.clock.advance(91 * DAY)
    assert harness.app.privacy.erase_expired().erased == 1
    assert accepted(harness.app.reviews.show(review.review_id)).review == review


def test_what_is_held_about_a_person_has_the_reviews_also_after_the_erasure(harness: AppHarness) -> None:
    review = write(harness)
    write(harness, "bert@example.com")
    [held] = harness.app.privacy.export("anna@example.com").reviews
    assert (held.review, held.order_number, held.shop.site_id.text) == (review, "1001", "bakkerij-1")
    assert [each.act for each in held.history] == [Act.WRITTEN]
    harness.app.privacy.erase_address("anna@example.com")
    [held] = harness.app.privacy.export("anna@example.com").reviews
    assert held.review.text is None
    assert [each.act for each in held.history] == [Act.WRITTEN, Act.ERASED]


def test_a_shop_without_reviews_has_no_score_and_many_are_asked_at_once(harness: AppHarness) -> None:
    harness.app.shops.add(a_shop("other"))
    write(harness, rating=2)

    def unit(work: UnitContext) -> Mapping[int, Score]:
        return scores_for_shops(work, work.store.shops.every())

    assert sorted(harness.transactions.run(unit).items()) == [(1, Score(count=1, total=2)), (2, NO_REVIEWS)]
