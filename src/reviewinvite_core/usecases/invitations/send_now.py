"""Make an invitation due at once. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR, Credential, Operator
from reviewinvite_core.domain.errors import InvitationUnknown, TooLate
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, admit, credential_locks
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import find_record, invitation_locks, reread


def send_now_locks(invite_id: str, caller: Credential | Operator) -> frozenset[int]:
    """Return the locks of the invitation and of the key's limit."""
    return invitation_locks(invite_id) | credential_locks(caller)


@write(locks=send_now_locks)
def send_invitation_now(
    ctx: UnitContext, invite_id: str, caller: Credential | Operator
) -> Invitation | InvitationUnknown | TooLate | NotAdmitted:
    """Make a scheduled invitation due at once; repeating this changes nothing.

    `scheduled_for` keeps the time that the shop was given. The invitation of an inactive shop still waits.
    """
    whose = caller if caller is OPERATOR else admit(ctx, caller, CHANGE)
    if not isinstance(whose, Shop | Operator):
        return whose
    found = find_record(ctx, whose, invite_id)
    if found is None:
        return InvitationUnknown(invite_id)
    invitation = found.invitation
    if invitation.state is not State.SCHEDULED:
        return TooLate(invitation.state)
    if invitation.reason is Reason.OPERATOR and invitation.due_at <= ctx.now:
        return invitation
    due = invitation.moved(State.SCHEDULED, Reason.OPERATOR, ctx.now, due_at=ctx.now)
    if not ctx.store.invitations.change(invitation, due):
        return TooLate(reread(ctx, invitation).state)
    record(ctx, found.shop, who_acts(ctx, caller), Action.INVITATION_SENT_NOW, due.invite_id)
    return due
