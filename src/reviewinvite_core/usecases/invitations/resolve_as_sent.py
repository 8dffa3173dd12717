"""Resolve an uncertain invitation as sent. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.errors import InvitationUnknown, NotUncertain
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import invitation_locks, locate
from reviewinvite_core.usecases.invitations.uncertain import resolve_uncertain


@write(locks=invitation_locks)
def resolve_as_sent(ctx: UnitContext, invite_id: str) -> Invitation | InvitationUnknown | NotUncertain:
    """Resolve an uncertain invitation as sent, because an operator found out that it has arrived."""
    invitation = locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    return resolve_uncertain(ctx, invitation, State.SENT)
