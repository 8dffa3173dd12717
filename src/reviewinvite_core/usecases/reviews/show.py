"""Show one review."""

from __future__ import annotations

from reviewinvite_core.domain.errors import ReviewUnknown
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.records import ReviewRecord, locate, with_history


@read
def show_review(ctx: UnitContext, review_id: str) -> ReviewRecord | ReviewUnknown:
    """Return one review with its history."""
    found = locate(ctx, review_id)
    return with_history(ctx, *found) if found else ReviewUnknown(review_id)
