"""Show the page of a review link. Spec: §6 (Links)."""

from __future__ import annotations

from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.link import ReviewLink, find_by_token, link_of


@read
def show_review_link(ctx: UnitContext, token: str) -> ReviewLink | None:
    """Return what the link's page shows, or None for an unknown token. Changes nothing."""
    found = find_by_token(ctx, token)
    return link_of(ctx, *found) if found else None
