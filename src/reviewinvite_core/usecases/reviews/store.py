"""Store changes to reviews. Spec: §3, ADR-27."""

from __future__ import annotations

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.reviews import REVIEWS_LOCK, Review
from reviewinvite_core.ports import GLOBAL_LOCK
from reviewinvite_core.usecases.context import UnitContext


def review_locks(*_: object) -> frozenset[int]:
    """Return the lock for changing reviews: that of all reviews (ADR-27)."""
    return frozenset({REVIEWS_LOCK})


def exclusive_locks(*_: object, **__: object) -> frozenset[int]:
    """Return the locks for operators' changes, which run one at a time."""
    return GLOBAL_LOCK | {REVIEWS_LOCK}


def add_review(ctx: UnitContext, review: Review) -> None:
    """Store a new review.

    Raises: `StorageUnavailable` as `save_review` does.
    """
    if not ctx.store.reviews.add(review):
        raise StorageUnavailable("a review was written meanwhile")


def save_review(ctx: UnitContext, before: Review, after: Review) -> Review:
    """Store the review and return it.

    Raises: `StorageUnavailable` if the review was changed meanwhile, which cannot happen to a unit that holds
    `REVIEWS_LOCK`.
    """
    if not ctx.store.reviews.change(before, after):
        raise StorageUnavailable("the review was changed meanwhile")
    return after
