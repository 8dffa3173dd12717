"""Write or change a review through its invitation's link. Spec: §3, ADR-27, ADR-34."""

from __future__ import annotations

from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, may_have_arrived
from reviewinvite_core.domain.provenance import Confirmation
from reviewinvite_core.domain.reviews import Review, ReviewDraft, ReviewState
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
from reviewinvite_core.usecases.reviews.store import add_review, save_review


@write(locks=write_locks)
def write_review(ctx: UnitContext, token: str, draft: ReviewDraft) -> ReviewLink | LinkClosed | None:
    """Write or change the review of the link's order; return None for an unknown token.

    There is one review however often this is called; repeating a call changes nothing. A hidden review stays hidden. An
    invitation that waits for another attempt is not sent again if an earlier one may have delivered it.
    """
    found = find_by_token(ctx, token)
    if found is None:
        return None
    invitation, shop, review = found
    link = link_of(ctx, invitation, shop, review)
    stands = review is not None and review.state is not ReviewState.WITHDRAWN and review.says(draft)
    if link.state in (LinkState.LOCKED, LinkState.EXPIRED) or (
        link.state is LinkState.EDIT_LIMIT_REACHED and not stands
    ):
        return LinkClosed(link)
    if review is None:
        written = _new(ctx, invitation, draft)
        add_review(ctx, written)
    elif stands:
        written = review
    else:
        written = save_review(ctx, review, review.rewritten(draft, ctx.now))
    note_sign_of_life(ctx, invitation.address_hash)
    return link_of(ctx, _arrived(ctx, invitation), shop, written)


def _arrived(ctx: UnitContext, invitation: Invitation) -> Invitation:
    """Return the invitation, moved to sent if an earlier attempt may have delivered the link; otherwise unchanged."""
    now = transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED)
    if now.can_move(State.SENT, Reason.REVIEWED) and may_have_arrived(ctx.store.invitations.history(now)):
        now = transition_if_allowed(ctx, now, State.SENT, Reason.REVIEWED)
    return now


def _new(ctx: UnitContext, invitation: Invitation, draft: ReviewDraft) -> Review:
    return Review(
        review_id=uuid7(ctx.now, ctx.entropy.draw(10)),
        shop_number=invitation.shop_number,
        invite_id=invitation.invite_id,
        rating=draft.rating,
        text=draft.text,
        author=draft.author,
        language=draft.language or invitation.language,
        written_at=ctx.now,
        changed_at=ctx.now,
        source=invitation.provenance.source,
        confirmed=_is_confirmed(ctx, invitation),
    )


def _is_confirmed(ctx: UnitContext, invitation: Invitation) -> bool:
    """Return whether the order is confirmed; from now on, nothing confirms it any more (ADR-65).

    If it was confirmed since the invitation was read, that came first.
    """
    if invitation.provenance.confirmation is not Confirmation.MISSING:
        return invitation.provenance.confirmed
    return not ctx.store.invitations.settle(invitation, Confirmation.TOO_LATE)
