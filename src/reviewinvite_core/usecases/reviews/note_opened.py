"""Record that a review link was opened, which proves that its invitation arrived. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.sign_of_life import note_sign_of_life
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed
from reviewinvite_core.usecases.reviews.link import find_by_token, note_locks


@write(locks=note_locks)
def note_opened_link(ctx: UnitContext, token: str) -> bool:
    """Record that the invitation arrived, and end a suppression of its address as a dead mailbox.

    Return whether either changed anything.
    """
    found = find_by_token(ctx, token)
    if found is None:
        return False
    invitation, _, _ = found
    was_dead = note_sign_of_life(ctx, invitation.address_hash)
    return transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED) is not invitation or was_dead
