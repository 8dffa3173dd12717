"""Cancel an invitation. Spec: §3, §4.11."""

from __future__ import annotations

from typing import TypeAlias

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR, Credential, Operator
from reviewinvite_core.domain.errors import Invalid, InvitationUnknown, TooLate
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, admit, credential_locks
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import (
    InvitationRecord,
    find_record,
    invitation_locks,
    reread,
    with_history,
)

Cancelled: TypeAlias = InvitationRecord | InvitationUnknown | TooLate | NotAdmitted | Invalid


def cancel_locks(caller: Credential | Operator, invite_id: str | Invalid) -> frozenset[int]:
    """Return the locks of the key's limit and of the invitation."""
    locks = credential_locks(caller)
    return locks if isinstance(invite_id, Invalid) else locks | invitation_locks(invite_id)


@write(locks=cancel_locks)
def cancel_invitation(ctx: UnitContext, caller: Credential | Operator, invite_id: str | Invalid) -> Cancelled:
    """Cancel an invitation that has not been handed over; repeating this changes nothing.

    If a worker holds it already, its next compare-and-set fails and no message is sent (ADR-7).
    """
    whose = caller if caller is OPERATOR else admit(ctx, caller, CHANGE)
    if not isinstance(whose, Shop | Operator):
        return whose
    if isinstance(invite_id, Invalid):
        return invite_id
    found = find_record(ctx, whose, invite_id)
    if found is None:
        return InvitationUnknown(invite_id)
    after = _cancelled(ctx, found.invitation)
    if isinstance(after, TooLate):
        return after
    if after is not found.invitation:
        record(ctx, found.shop, who_acts(ctx, caller), Action.INVITATION_CANCELLED, after.invite_id)
    return with_history(ctx, after, found.shop)


def _cancelled(ctx: UnitContext, invitation: Invitation) -> Invitation | TooLate:
    """Return the cancelled invitation, whether it was cancelled now or earlier; `TooLate` if it cannot be."""
    if invitation.state is State.CANCELLED:
        return invitation
    if not invitation.can_move(State.CANCELLED, Reason.CANCELLED):
        return TooLate(invitation.state)
    withdrawn = invitation.moved(State.CANCELLED, Reason.CANCELLED, ctx.now)
    if not ctx.store.invitations.change(invitation, withdrawn):
        return TooLate(reread(ctx, invitation).state)
    return withdrawn
