"""Hide a review. Spec: §3, ADR-27."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR
from reviewinvite_core.domain.errors import ReviewStateConflict, ReviewUnknown
from reviewinvite_core.domain.reviews import Act, HideReason, ReviewState
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.records import ReviewRecord, locate, with_history
from reviewinvite_core.usecases.reviews.store import review_locks, save_review


@write(locks=review_locks)
def hide_review(
    ctx: UnitContext, review_id: str, reason: HideReason
) -> ReviewRecord | ReviewUnknown | ReviewStateConflict:
    """Hide a review for this reason, so that it does not count in scores; repeating this changes nothing."""
    found = locate(ctx, review_id)
    if found is None:
        return ReviewUnknown(review_id)
    review, shop = found
    if review.state is ReviewState.HIDDEN and review.hidden_for is reason:
        return with_history(ctx, review, shop)
    if not review.can_move(ReviewState.HIDDEN, Act.HIDDEN):
        return ReviewStateConflict(review.state)
    hidden = save_review(ctx, review, review.hidden(reason, ctx.now))
    record(ctx, shop, who_acts(ctx, OPERATOR), Action.REVIEW_HIDDEN, review.review_id)
    return with_history(ctx, hidden, shop)
