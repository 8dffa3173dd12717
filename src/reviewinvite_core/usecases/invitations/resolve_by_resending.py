"""Resolve an uncertain invitation by sending it again. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.errors import AddressErased, InvitationUnknown, NotUncertain
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import invitation_locks, locate
from reviewinvite_core.usecases.invitations.uncertain import resolve_uncertain


@write(locks=invitation_locks)
def resolve_by_resending(
    ctx: UnitContext, invite_id: str
) -> Invitation | InvitationUnknown | NotUncertain | AddressErased:
    """Resolve an uncertain invitation by sending it again at once, although it may have arrived already."""
    invitation = locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    if invitation.state is State.UNCERTAIN and invitation.sealed_address is None:
        return AddressErased()
    return resolve_uncertain(ctx, invitation, State.SCHEDULED)
