"""Where reviews, their history and their figures are stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Protocol

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.reviews import Review, ReviewChange, ReviewState
from reviewinvite_core.domain.scores import Distribution, Figures, Score
from reviewinvite_core.domain.shop import Shop


class Reviews(Protocol):
    """The reviews, their history, and the figures that scores are made of (ADR-27)."""

    def add(self, review: Review) -> bool:
        """Store a new review and begin its history; False, with nothing stored, where its invitation has one."""

    def change(self, before: Review, after: Review) -> bool:
        """Replace `before` by `after` and add to its history, if it is still at the revision of `before`."""

    def find(self, shop_number: int, review_id: str) -> Review | None:
        """A shop's review with this id."""

    def locate(self, review_id: str) -> Review | None:
        """The review with this id, whatever its shop; asks every shop in turn, so it is for people only."""

    def of_invitation(self, shop_number: int, invite_id: str) -> Review | None:
        """What was written by way of this invitation of a shop's."""

    def published(self, shop_number: int, *, before: Bookmark | None, limit: int) -> Sequence[Review]:
        """A shop's published reviews, the newest written first, after the place that is marked where one is."""

    def changed(self, shop_number: int, *, after: Bookmark, limit: int) -> Sequence[tuple[Review, str | None]]:
        """A shop's reviews in any state, each with its order's number, the one changed longest ago first.

        By the time of their last change (`change_bookmark`), after this place.
        """

    def newest(self, *, shop: Shop | None, state: ReviewState | None, limit: int) -> Sequence[tuple[Shop, Review]]:
        """The newest reviews, of one shop or all, in one state or any, the newest written first."""

    def history(self, review: Review) -> Sequence[ReviewChange]:
        """All that was done to a review, the writing included, the oldest first."""

    def scores(self, shop_numbers: Collection[int], today: date) -> Mapping[int, Score]:
        """The scores of the last 12 months (`scores.first_counted`), by shop; shops without one are left out."""

    def distribution(self, shop_number: int) -> Distribution:
        """A shop's published reviews of all time, by rating."""

    def figures(self, shop_number: int) -> Figures:
        """A shop's figures as they are kept."""

    def recount(self, shop_number: int) -> Figures:
        """A shop's figures as its reviews say; looks at every one of them."""

    def keep_figures(self, shop_number: int, figures: Figures) -> None:
        """Keep these figures of a shop, in the place of all that were."""
