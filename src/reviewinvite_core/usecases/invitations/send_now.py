"""Make an invitation due at once. Spec: §3."""

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
def send_invitation_now(ctx: UnitContext, invite_id: str) -> Invitation | InvitationUnknown | TooLate:
    """Make a scheduled invitation due at once; repeating this changes nothing.

    `scheduled_for` keeps the time that the shop was given. The invitation of an inactive shop still waits.
    """
    invitation = locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    if invitation.state is not State.SCHEDULED:
        return TooLate(invitation.state)
    if invitation.reason is Reason.OPERATOR and invitation.due_at <= ctx.now:
        return invitation
    due = invitation.moved(State.SCHEDULED, Reason.OPERATOR, ctx.now, due_at=ctx.now)
    if not ctx.store.invitations.change(invitation, due):
        return TooLate(reread(ctx, invitation).state)
    return due
