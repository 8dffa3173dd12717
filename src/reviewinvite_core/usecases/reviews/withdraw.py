"""Withdraw a review through its invitation's link. Spec: §3, ADR-27."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.reviews import Act, ReviewState
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.sign_of_life import note_sign_of_life
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed
from reviewinvite_core.usecases.reviews.link import (
    LinkClosed,
    LinkState,
    ReviewLink,
    find_by_token,
    link_of,
    write_locks,
)
from reviewinvite_core.usecases.reviews.store import save_review


@write(locks=write_locks)
def withdraw_review(ctx: UnitContext, token: str) -> ReviewLink | LinkClosed | None:
    """Withdraw a review and erase its content; return None for an unknown token.

    If there is no review, or it is already withdrawn, this changes nothing.
    """
    found = find_by_token(ctx, token)
    if found is None:
        return None
    invitation, shop, review = found
    link = link_of(ctx, invitation, shop, review)
    if link.state in (LinkState.LOCKED, LinkState.EXPIRED):
        return LinkClosed(link)
    if review and review.state is not ReviewState.WITHDRAWN:
        review = save_review(ctx, review, review.emptied(Act.WITHDRAWN, ctx.now))
    note_sign_of_life(ctx, invitation.address_hash)
    return link_of(ctx, transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED), shop, review)
