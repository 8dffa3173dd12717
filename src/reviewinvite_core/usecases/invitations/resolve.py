"""Resolve an uncertain invitation. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.errors import AddressErased, InvitationUnknown, NotUncertain
from reviewinvite_core.domain.invitations import Invitation, Reason, State
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import current_state, invitation_locks, locate


@write(locks=invitation_locks)
def resolve_as_sent(ctx: UnitContext, invite_id: str) -> Invitation | InvitationUnknown | NotUncertain:
    """Settle an uncertain invitation: it has arrived, as an operator has found out.

    The worker's claim is dropped with it, so that an answer that comes later changes nothing any more.
    """
    invitation = locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    return _resolved(ctx, invitation, State.SENT)


@write(locks=invitation_locks)
def resolve_by_resending(
    ctx: UnitContext, invite_id: str
) -> Invitation | InvitationUnknown | NotUncertain | AddressErased:
    """Settle an uncertain invitation: send it once more, at once, although it may have arrived already.

    The worker's claim is dropped with it, so that an answer that comes later changes nothing any more.
    """
    invitation = locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    if invitation.state is State.UNCERTAIN and invitation.sealed_address is None:
        return AddressErased()
    return _resolved(ctx, invitation, State.SCHEDULED)


def _resolved(ctx: UnitContext, invitation: Invitation, to: State) -> Invitation | NotUncertain:
    if invitation.state is not State.UNCERTAIN:
        return NotUncertain(invitation.state)
    due_at = ctx.now if to is State.SCHEDULED else None
    resolved = invitation.moved(to, Reason.OPERATOR, ctx.now, due_at=due_at)
    if not ctx.store.invitations.change(invitation, resolved):
        return NotUncertain(current_state(ctx, invitation))
    return resolved
