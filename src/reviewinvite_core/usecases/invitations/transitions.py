"""Keep an invitation that still waits from being sent, also one that a worker has taken."""

from __future__ import annotations

from reviewinvite_core.domain.invitations import Invitation, Reason, State
from reviewinvite_core.usecases.context import UnitContext


def transition_if_allowed(ctx: UnitContext, invitation: Invitation, to: State, reason: Reason) -> Invitation:
    """Move it to `to`, where the table of states allows that from where it is now; gives it as it is then.

    A worker may move it at the same instant: then it is looked at again.
    """
    now = invitation
    while now.can_move(to, reason):
        after = now.moved(to, reason, ctx.now)
        if ctx.store.invitations.change(now, after):
            return after
        now = ctx.store.invitations.find(invitation.shop_number, invitation.invite_id) or now
    return now
