"""Storage of reviews, their history and their figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Protocol

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.reviews import Review, ReviewChange, ReviewState
from reviewinvite_core.domain.scores import Distribution, Figures, Score
from reviewinvite_core.domain.shop import Shop


class Reviews(Protocol):
    """Reviews, their history, and the figures behind scores (ADR-27)."""

    def add(self, review: Review) -> bool:
        """Store a new review and begin its history; store nothing and return False if its invitation has a review."""

    def change(self, before: Review, after: Review) -> bool:
        """Replace `before` by `after` and extend the history, if the stored revision is still that of `before`.

        Return whether it was replaced.
        """

    def find(self, shop_number: int, review_id: str) -> Review | None:
        """Return a shop's review with this id, or None."""

    def find_all(self, shop_number: int, review_ids: Collection[str]) -> Mapping[str, Review]:
        """Return those of a shop's reviews with these ids, by id; others are left out."""

    def locate(self, review_id: str) -> Review | None:
        """Return the review with this id from any shop, or None. It queries all shops: for use by people only."""

    def of_invitation(self, shop_number: int, invite_id: str) -> Review | None:
        """Return the review written through this invitation of the shop, or None."""

    def reviewed(self, asked: Collection[tuple[int, str]]) -> Collection[tuple[int, str]]:
        """Return those invitations, each the number of its shop and its id, through which a review was written."""

    def published(self, shop_number: int, *, before: Bookmark | None, limit: int) -> Sequence[Review]:
        """Return a shop's published reviews by descending id, so newest first, after the bookmark `before` if given."""

    def of_shop(
        self, shop_number: int, *, before: str | None, state: ReviewState | None, rating: int | None, limit: int
    ) -> Sequence[tuple[Review, str | None]]:
        """Return a shop's reviews, each with its order number, by descending id, so newest first; None means any.

        With `before`, only those with a lower id.
        """

    def changed(
        self,
        shop_number: int,
        *,
        after: Bookmark,
        limit: int,
        state: ReviewState | None = None,
        rating: int | None = None,
        most_read: int | None = None,
    ) -> Sequence[tuple[Review, str | None]]:
        """Return a shop's reviews, each with its order number, least recently changed first; None means any.

        They are ordered by the time of last change (`change_bookmark`) and start after the bookmark `after`. Only the
        first `most_read` reviews after it are searched.
        """

    def nth_change(self, shop_number: int, after: Bookmark, nth: int) -> Bookmark | None:
        """Return the bookmark of the nth review after this one by the time of last change, or None if there are fewer.

        The first one is number 1.
        """

    def newest(
        self, *, shop: Shop | None, state: ReviewState | None, limit: int, before: str | None = None
    ) -> Sequence[tuple[Shop, Review]]:
        """Return the newest reviews by descending id, so newest first; None means all shops or all states.

        With `before`, only those with a lower id.
        """

    def history(self, review: Review) -> Sequence[ReviewChange]:
        """Return all changes of a review, oldest first, starting with its writing."""

    def scores(self, shop_numbers: Collection[int], today: date) -> Mapping[int, Score]:
        """Return each shop's score of the last 12 months (`scores.first_counted`); shops without one are left out."""

    def distribution(self, shop_number: int) -> Distribution:
        """Return how many published reviews a shop has per rating, over all time."""

    def weeks(self, shop_number: int, since: date) -> Mapping[date, Distribution]:
        """Return a shop's published reviews by the Monday of the week of first writing, from the Monday `since` on."""

    def figures(self, shop_number: int) -> Figures:
        """Return a shop's figures as stored."""

    def recount(self, shop_number: int) -> Figures:
        """Return a shop's figures computed from its reviews; reads every one of them."""

    def keep_figures(self, shop_number: int, figures: Figures) -> None:
        """Replace a shop's stored figures."""
