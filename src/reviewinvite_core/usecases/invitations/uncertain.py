"""Resolve an uncertain invitation. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.errors import NotUncertain
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import reread


def resolve_uncertain(ctx: UnitContext, invitation: Invitation, to: State) -> Invitation | NotUncertain:
    """Move an uncertain invitation to `to` and return it.

    This drops the worker's claim, so a late answer of the mail server changes nothing.
    """
    if invitation.state is not State.UNCERTAIN:
        return NotUncertain(invitation.state)
    due_at = ctx.now if to is State.SCHEDULED else None
    resolved = invitation.moved(to, Reason.OPERATOR, ctx.now, due_at=due_at)
    if not ctx.store.invitations.change(invitation, resolved):
        return NotUncertain(reread(ctx, invitation).state)
    return resolved
