"""Reviews: their states, the only table of what may be done to them, and the values that an author may write.

Every change goes through `Review.moved` and is recorded in the review's history with its time. docs/states.md is
generated from the table. Spec: §2, §3, ADR-27.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType

import attrs

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.invitation_states import TransitionForbidden
from reviewinvite_core.domain.language import Language, to_language
from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.policy import REVIEW_CHANGEABLE_FOR
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.scores import HIGHEST_RATING, LOWEST_RATING, Distribution
from reviewinvite_core.domain.text import long_text, one_line

LONGEST_TEXT = 4_000
LONGEST_AUTHOR = 80
LONGEST_REPLY = 2_000
REVIEWS_LOCK = lock_id(LockKind.REVIEWS)
"""The lock that serialises all changes to reviews (ADR-27)."""


class ReviewState(StrEnum):
    """State of a review."""

    PUBLISHED = "published"
    HIDDEN = "hidden"
    WITHDRAWN = "withdrawn"


class HideReason(StrEnum):
    """Why an operator hides a review."""

    UNLAWFUL = "unlawful"
    PERSONAL_DATA = "personal_data"
    INSULT = "insult"
    SPAM = "spam"
    NOT_A_CUSTOMER = "not_a_customer"
    OTHER = "other"


def to_hide_reason(value: str | HideReason) -> HideReason:
    """Return the reason with this name.

    Raises: `Invalid`.
    """
    try:
        return HideReason(value)
    except ValueError:
        raise Invalid(Problem.UNKNOWN_REASON, "reason") from None


class Party(StrEnum):
    """Who acts on a review."""

    CUSTOMER = "customer"
    SHOP = "shop"
    OPERATOR = "operator"


class Act(StrEnum):
    """An action on a review."""

    WRITTEN = "written"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    WRITTEN_AGAIN = "written_again"
    HIDDEN = "hidden"
    SHOWN_AGAIN = "shown_again"
    REPLIED = "replied"
    REPLY_REMOVED = "reply_removed"
    NAME_REMOVED = "name_removed"
    ERASED = "erased"

    @property
    def by(self) -> Party:
        """The party that decides on the action. An erasure counts as the customer's, although the operator runs it."""
        if self in (Act.HIDDEN, Act.SHOWN_AGAIN):
            return Party.OPERATOR
        return Party.SHOP if self in (Act.REPLIED, Act.REPLY_REMOVED) else Party.CUSTOMER


WRITINGS = frozenset({Act.WRITTEN, Act.CHANGED, Act.WRITTEN_AGAIN})
_STAYS = frozenset({Act.CHANGED, Act.REPLY_REMOVED, Act.NAME_REMOVED})

TRANSITIONS: Mapping[tuple[ReviewState, ReviewState], frozenset[Act]] = MappingProxyType(
    {
        (ReviewState.PUBLISHED, ReviewState.PUBLISHED): _STAYS | {Act.REPLIED},
        (ReviewState.PUBLISHED, ReviewState.HIDDEN): frozenset({Act.HIDDEN}),
        (ReviewState.PUBLISHED, ReviewState.WITHDRAWN): frozenset({Act.WITHDRAWN, Act.ERASED}),
        (ReviewState.HIDDEN, ReviewState.HIDDEN): _STAYS | {Act.HIDDEN},
        (ReviewState.HIDDEN, ReviewState.PUBLISHED): frozenset({Act.SHOWN_AGAIN}),
        (ReviewState.HIDDEN, ReviewState.WITHDRAWN): frozenset({Act.WITHDRAWN, Act.ERASED}),
        (ReviewState.WITHDRAWN, ReviewState.PUBLISHED): frozenset({Act.WRITTEN_AGAIN}),
        (ReviewState.WITHDRAWN, ReviewState.HIDDEN): frozenset({Act.WRITTEN_AGAIN}),
    }
)


def to_rating(value: int | None) -> int:
    """Return the rating: a whole number from 1 to 5; a boolean is not a number.

    Raises: `Invalid`.
    """
    if value is None:
        raise Invalid(Problem.FIELD_MISSING, "rating")
    if isinstance(value, bool) or not isinstance(value, int):
        raise Invalid(Problem.WRONG_TYPE, "rating")
    if not LOWEST_RATING <= value <= HIGHEST_RATING:
        raise Invalid(Problem.OUT_OF_RANGE, "rating")
    return value


def _to_text(value: str) -> str | None:
    return long_text(value, "text", longest=LONGEST_TEXT)


def _to_author(value: str) -> str | None:
    return one_line(value, "author", longest=LONGEST_AUTHOR)


def _to_reply(value: str) -> str | None:
    return long_text(value, "text", longest=LONGEST_REPLY)


@attrs.frozen(kw_only=True)
class ReviewDraft:
    r"""A review as a customer writes it, built from plain values and validated.

    `language` is None to keep that of the review, or to use that of the invitation for a new review. Spec: §2.

    >>> ReviewDraft(rating=4, text=" Snel geleverd.\r\nLekker brood! ", author="")
    ReviewDraft(rating=4, text='Snel geleverd.\nLekker brood!', author=None, language=None)

    Raises: `Invalid`, naming the first field that is wrong.
    """

    rating: int = attrs.field(converter=to_rating)
    text: str | None = attrs.field(default=None, converter=attrs.converters.optional(_to_text))
    author: str | None = attrs.field(default=None, converter=attrs.converters.optional(_to_author))
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))


@attrs.frozen(kw_only=True)
class NewReply:
    """A merchant's reply, built from plain text: up to 2,000 characters, line breaks allowed; None if it is empty.

    Raises: `Invalid`.
    """

    text: str | None = attrs.field(converter=attrs.converters.optional(_to_reply))


@attrs.frozen
class Reply:
    """The shop's reply to a review, and when it was written."""

    text: str
    replied_at: datetime


@attrs.frozen(kw_only=True)
class ReviewChange:
    """One entry of a review's history."""

    act: Act
    state: ReviewState
    at: datetime
    hidden_for: HideReason | None = None


@attrs.frozen(kw_only=True)
class Review:
    """A customer's review of an order; `invite_id` proves that the order was reported.

    A withdrawn review holds no rating, text, name or reply. `written_at` is when it was first written and never
    changes; `edited_at` is when its author last changed it; `changed_at` is when anything last changed. `hidden_for`
    outlives a withdrawal, so that writing again does not undo the operator's decision. `act` is the action that made
    `revision`. `source` is the order's, and `confirmed` whether it was confirmed when the review was first written.
    """

    review_id: str
    shop_number: int
    invite_id: str
    rating: int | None
    text: str | None = None
    author: str | None = None
    language: Language
    written_at: datetime
    edited_at: datetime | None = None
    changed_at: datetime
    state: ReviewState = ReviewState.PUBLISHED
    hidden_for: HideReason | None = None
    reply: Reply | None = None
    act: Act = Act.WRITTEN
    revision: int = 1
    source: Source
    confirmed: bool

    @property
    def changeable_until(self) -> datetime:
        """The instant from which the author can no longer change, withdraw or rewrite it."""
        return self.written_at + REVIEW_CHANGEABLE_FOR

    @property
    def counted(self) -> tuple[date, Distribution]:
        """The UTC day of writing, and what the review adds to its shop's figures."""
        published = self.state is ReviewState.PUBLISHED and self.rating is not None
        counted = Distribution.of(self.rating or 0, confirmed=self.confirmed) if published else Distribution()
        return day_of(self.written_at), counted

    @property
    def change(self) -> ReviewChange:
        """The last change, as an entry of the history."""
        return ReviewChange(act=self.act, state=self.state, at=self.changed_at, hidden_for=self.hidden_for)

    @property
    def bookmark(self) -> Bookmark:
        """Position among the shop's reviews by time of writing."""
        return Bookmark(self.written_at, self.review_id)

    @property
    def change_bookmark(self) -> Bookmark:
        """Position among the shop's reviews by time of last change."""
        return Bookmark(self.changed_at, self.review_id)

    def says(self, draft: ReviewDraft) -> bool:
        """Return whether the review already holds what the draft says."""
        language = draft.language or self.language
        return (self.rating, self.text, self.author, self.language) == (
            draft.rating,
            draft.text,
            draft.author,
            language,
        )

    def can_move(self, to: ReviewState, act: Act) -> bool:
        """Return whether the table has this transition."""
        return act in TRANSITIONS.get((self.state, to), ())

    def moved(self, to: ReviewState, act: Act, at: datetime, **changes: object) -> Review:
        """Return the review moved to the state `to` by `act` at the instant `at`, with these fields changed.

        Raises: `TransitionForbidden` if the table has no such transition.
        """
        if not self.can_move(to, act):
            message = f"review: {self.state} -> {to} ({act})"
            raise TransitionForbidden(message)
        changed: Review = attrs.evolve(
            self,
            state=to,
            act=act,
            changed_at=at,
            revision=self.revision + 1,
            **changes,  # type: ignore[arg-type]
        )
        return changed

    def rewritten(self, draft: ReviewDraft, at: datetime) -> Review:
        """Return the review changed by its author, or written again after a withdrawal."""
        withdrawn = self.state is ReviewState.WITHDRAWN
        to = ReviewState.HIDDEN if self.hidden_for else ReviewState.PUBLISHED
        return self.moved(
            to,
            Act.WRITTEN_AGAIN if withdrawn else Act.CHANGED,
            at,
            rating=draft.rating,
            text=draft.text,
            author=draft.author,
            language=draft.language or self.language,
            edited_at=at,
        )

    def emptied(self, act: Act, at: datetime) -> Review:
        """Return the review withdrawn or erased, with everything written removed, including the reply."""
        return self.moved(ReviewState.WITHDRAWN, act, at, rating=None, text=None, author=None, reply=None)

    def hidden(self, reason: HideReason, at: datetime) -> Review:
        """Return the review hidden for this reason."""
        return self.moved(ReviewState.HIDDEN, Act.HIDDEN, at, hidden_for=reason)

    def shown_again(self, at: datetime) -> Review:
        """Return the review published again."""
        return self.moved(ReviewState.PUBLISHED, Act.SHOWN_AGAIN, at, hidden_for=None)

    def replied(self, text: str | None, at: datetime) -> Review:
        """Return the review with this reply in place of any earlier one; None removes the reply."""
        reply = Reply(text, at) if text else None
        return self.moved(self.state, Act.REPLIED if reply else Act.REPLY_REMOVED, at, reply=reply)

    def nameless(self, at: datetime) -> Review:
        """Return the review without its author's name."""
        return self.moved(self.state, Act.NAME_REMOVED, at, author=None)
