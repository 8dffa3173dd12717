"""Move an invitation to another state by compare-and-set, if the table of states allows it."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import reread


def transition_if_allowed(ctx: UnitContext, invitation: Invitation, to: State, reason: Reason) -> Invitation:
    """Move the invitation to `to` if its current state allows that; return the invitation in its resulting state.

    If a worker changed the invitation in the meantime, reread it and retry.
    """
    now = invitation
    while now.can_move(to, reason):
        after = now.moved(to, reason, ctx.now)
        if ctx.store.invitations.change(now, after):
            return after
        now = reread(ctx, now)
    return now
