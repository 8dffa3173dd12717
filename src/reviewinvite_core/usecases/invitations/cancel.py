"""Cancel an invitation. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.errors import InvitationUnknown, TooLate
from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    Invitation,
)
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import invitation_locks, locate, reread


@write(locks=invitation_locks)
def cancel_invitation(ctx: UnitContext, invite_id: str) -> Invitation | InvitationUnknown | TooLate:
    """Withdraw an invitation that has not been handed over; cancelling it again changes nothing.

    A worker that holds it already meets the fence, and nothing goes out (ADR-7).
    """
    invitation = locate(ctx, invite_id)
    return cancelled(ctx, invitation) if invitation else InvitationUnknown(invite_id)


def cancelled(ctx: UnitContext, invitation: Invitation) -> Invitation | TooLate:
    """The invitation, cancelled now or before."""
    if invitation.state is State.CANCELLED:
        return invitation
    if not invitation.can_move(State.CANCELLED, Reason.CANCELLED):
        return TooLate(invitation.state)
    withdrawn = invitation.moved(State.CANCELLED, Reason.CANCELLED, ctx.now)
    if not ctx.store.invitations.change(invitation, withdrawn):
        return TooLate(reread(ctx, invitation).state)
    return withdrawn
