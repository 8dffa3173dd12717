"""Show what the page of a review link has to say. Spec: §6 (Links)."""

from __future__ import annotations

from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.link import ReviewLink, find_by_token, link_of


@read
def show_review_link(ctx: UnitContext, token: str) -> ReviewLink | None:
    """What the link's page has to say; None if the token is none of ours. Changes nothing."""
    found = find_by_token(ctx, token)
    return link_of(ctx, *found) if found else None
