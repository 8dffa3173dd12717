"""Reviews, as their shop and the operator see them, and the shop's replies. Spec: §4.7, §4.8, §4.12."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar

import attrs

from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.reviews import (
    LONGEST_AUTHOR,
    LONGEST_REPLY,
    LONGEST_TEXT,
    Act,
    HideReason,
    NewReply,
    Party,
    Reply as StoredReply,
    Review as StoredReview,
    ReviewChange as StoredChange,
    ReviewState,
)
from reviewinvite_core.domain.scores import HIGHEST_RATING
from reviewinvite_core.wire.patterns import REPLY, REVIEW_CURSOR
from reviewinvite_core.wire.shape import Shape, about, describe, member
from reviewinvite_core.wire.shared import CONFIRMED, ID, INSTANT, LANGUAGE, MOST_ON_A_PAGE, ORDER_NUMBER, SOURCE

describe(
    NewReply,
    "A reply to a review.",
    text=about(
        "The reply, which may contain line breaks. An empty text removes the reply.",
        max_length=LONGEST_REPLY,
        pattern=REPLY,
        examples=["Dank u wel!"],
    ),
)


@attrs.frozen(kw_only=True)
class Reply(Shape):
    """The shop's reply to a review, and when it was written."""

    text: str = member(example="Dank u wel!")
    replied_at: datetime = member(example="2026-03-09T08:00:40.250Z")

    @classmethod
    def of(cls, reply: StoredReply | None) -> Reply | None:
        return cls.taken_from(reply) if reply else None


@attrs.frozen(kw_only=True)
class Review(Shape):
    """A customer's review of an order.

    Escape `text` and `author` wherever they are shown, and show a review only while it is `published`. Spec: §4.7.
    """

    published_as: ClassVar = "ReviewRecord"

    review_id: str = member(ID, example="019cb0a7-5e21-7d44-9f0b-6a1c83e5d702")
    invite_id: str = member("The invitation that led to the review.", ID)
    order_number: str | None = member(ORDER_NUMBER)
    source: Source | str = member(SOURCE)
    confirmed: bool = member(CONFIRMED)
    state: ReviewState | str = member(example="published")
    hidden_for: HideReason | str | None = member("Why the service hid the review. `text` and `author` are then null.")
    rating: int | None = member(
        "Null once the review is withdrawn, as are `text` and `author`.",
        minimum=1,
        maximum=HIGHEST_RATING,
        examples=[5],
    )
    text: str | None = member(max_length=LONGEST_TEXT, examples=["Snel geleverd, lekker brood."])
    author: str | None = member(max_length=LONGEST_AUTHOR, examples=["Anna"])
    language: Language | str = member(LANGUAGE)
    written_at: datetime = member(INSTANT, example="2026-03-08T18:20:11.004Z")
    edited_at: datetime | None = member("When the customer last changed the review.")
    changed_at: datetime = member(
        "When any part of the review last changed. Pages are in this order.",
        INSTANT,
        example="2026-03-09T08:00:40.250Z",
    )
    reply: Reply | None

    @classmethod
    def of(cls, review: StoredReview, order_number: str | None) -> Review:
        return cls.taken_from(review, order_number=order_number, reply=Reply.of(review.reply))


@attrs.frozen(kw_only=True)
class ReviewPage(Shape):
    """A page of the shop's reviews, the least recently changed first. Spec: §4.7."""

    published_as: ClassVar = "MerchantReviews"

    reviews: tuple[Review, ...] = member(max_items=MOST_ON_A_PAGE)
    cursor: str = member(
        "Cursor of the next page. Store it to continue now or later.",
        pattern=f"^{REVIEW_CURSOR}$",
        examples=["64bf5d4e1c2a0-019cadd4cbc873c19e5f0a94c27d3b86"],
        example="64c9a3d8d3a8a-019cb0a75e217d449f0b6a1c83e5d702",
    )
    more: bool = member("Whether more reviews are available now.", example=False)

    @property
    def next(self) -> str | None:
        """The cursor of the next page, or None if this is the last."""
        return self.cursor if self.more else None


@attrs.frozen(kw_only=True)
class OperatorReviewChange(Shape):
    """One entry of a review's history."""

    act: Act
    by: Party
    state: ReviewState
    hidden_for: HideReason | None
    at: datetime

    @classmethod
    def of(cls, change: StoredChange) -> OperatorReviewChange:
        return cls.taken_from(change, by=change.act.by)


@attrs.frozen(kw_only=True)
class OperatorReview(Shape):
    """A review of any shop, with its history if that was asked for."""

    review_id: str
    site_id: str
    invite_id: str
    order_number: str | None
    source: Source
    confirmed: bool
    state: ReviewState
    hidden_for: HideReason | None
    rating: int | None
    text: str | None
    author: str | None
    language: Language
    written_at: datetime
    edited_at: datetime | None
    changed_at: datetime
    reply: Reply | None
    history: tuple[OperatorReviewChange, ...] = member(optional=True, default=())

    @classmethod
    def of(
        cls, review: StoredReview, site_id: str, order_number: str | None, history: Iterable[StoredChange] = ()
    ) -> OperatorReview:
        reply, changes = Reply.of(review.reply), tuple(map(OperatorReviewChange.of, history))
        return cls.taken_from(review, site_id=site_id, order_number=order_number, reply=reply, history=changes)
