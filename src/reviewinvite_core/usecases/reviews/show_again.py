"""Publish a hidden review again. Spec: §3, ADR-27."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR
from reviewinvite_core.domain.errors import ReviewStateConflict, ReviewUnknown
from reviewinvite_core.domain.reviews import Act, ReviewState
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.records import ReviewRecord, locate, with_history
from reviewinvite_core.usecases.reviews.store import review_locks, save_review


@write(locks=review_locks)
def show_review_again(ctx: UnitContext, review_id: str) -> ReviewRecord | ReviewUnknown | ReviewStateConflict:
    """Publish a hidden review again; a published one is not changed."""
    found = locate(ctx, review_id)
    if found is None:
        return ReviewUnknown(review_id)
    review, shop = found
    if review.state is ReviewState.PUBLISHED:
        return with_history(ctx, review, shop)
    if not review.can_move(ReviewState.PUBLISHED, Act.SHOWN_AGAIN):
        return ReviewStateConflict(review.state)
    shown = save_review(ctx, review, review.shown_again(ctx.now))
    record(ctx, shop, who_acts(ctx, OPERATOR), Action.REVIEW_SHOWN, review.review_id)
    return with_history(ctx, shown, shop)
