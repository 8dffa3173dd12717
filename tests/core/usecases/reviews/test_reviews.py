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

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.application.units import unit_of
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.refusals import ReviewStateConflict, ReviewUnknown, ShopInactive
from reviewinvite_core.domain.reviews import REVIEWS_LOCK, HideReason, NewReply, Review, ReviewDraft, ReviewState
from reviewinvite_core.domain.scores import NO_REVIEWS, Score
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
from reviewinvite_core.usecases.reviews.read import scores_for_shops

DAY = timedelta(days=1)
SPAM, INSULT = HideReason.SPAM, HideReason.INSULT
THANKS = NewReply(text="Dank u!\nTot ziens.")
NOTHING = NewReply(text="")


def token(harness: AppHarness, email: str = "anna@example.com", *, site: str = "bakkerij-1", **fields: Any) -> str:
    """Report an order, and return the token of its review link."""
    return token_of(harness.app, harness.report(email, site_id=site, delay_days=0, **fields).invite_id, Purpose.REVIEW)


def write(harness: AppHarness, email: str = "anna@example.com", *, rating: int = 5, **fields: Any) -> Review:
    draft = ReviewDraft(rating=rating, text="Lekker!", author="Anna")
    return review_of(harness.write_review(token(harness, email, **fields), draft))


def score(harness: AppHarness, site: str = "bakkerij-1") -> Score:
    def unit(work: UnitContext) -> Score:
        shop = present(work.store.shops.by_site_id(site))
        return scores_for_shops(work, [shop])[shop.number]

    return harness.transactions.run(unit)


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
    record = accepted(concurrent_harness.app.reviews.show(OPERATOR, review_id))
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
    assert harness.app.reviews.show_again(review_id) == harness.app.reviews.show(OPERATOR, review_id)
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
    assert harness.app.reviews.show(OPERATOR, review_id) == harness.app.reviews.show_again(review_id) == unknown
    assert harness.app.reviews.hide(review_id, SPAM) == unknown
    assert harness.app.reviews.reply(harness.caller, review_id, THANKS) == unknown


def test_a_hidden_review_takes_no_reply_but_the_standing_one_can_be_taken_away(harness: AppHarness) -> None:
    review = write(harness)
    harness.app.reviews.reply(harness.caller, review.review_id, THANKS)
    harness.app.reviews.hide(review.review_id, SPAM)
    assert harness.app.reviews.reply(harness.caller, review.review_id, NewReply(text="x")) == ReviewStateConflict(
        "hidden"
    )
    answered = accepted(harness.app.reviews.reply(harness.caller, review.review_id, NOTHING))
    assert (answered.review.reply, answered.review.text, answered.review.author) == (None, None, None)


def test_an_inactive_shop_does_not_reply(harness: AppHarness) -> None:
    review = write(harness)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    assert harness.app.reviews.reply(harness.caller, review.review_id, THANKS) == ShopInactive()


def test_reviews_outlive_the_time_of_the_address(harness: AppHarness) -> None:
    review = write(harness)
    harness.clock.advance(91 * DAY)
    assert harness.app.privacy.erase_expired().erased == 1
    assert accepted(harness.app.reviews.show(OPERATOR, review.review_id)).review == review


def test_a_shop_without_reviews_has_no_score_and_many_are_asked_at_once(harness: AppHarness) -> None:
    harness.app.shops.add(a_shop("other"))
    write(harness, rating=2)

    def unit(work: UnitContext) -> Mapping[int, Score]:
        return scores_for_shops(work, work.store.shops.every())

    assert sorted(harness.transactions.run(unit).items()) == [(1, Score(count=1, total=2)), (2, NO_REVIEWS)]
