"""Erase a message to a person who is erased, or is a member no more. ADR-57."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.messages import ServiceMessage
from reviewinvite_core.usecases.context import UnitContext


def erase_message(ctx: UnitContext, message: ServiceMessage) -> bool:
    """Cancel a message that waits and remove its content; return whether it had any."""
    if message.can_move(State.CANCELLED, Reason.ERASED):
        ctx.store.messages.change(message, message.moved(State.CANCELLED, Reason.ERASED, ctx.now))
        return message.sealed is not None
    return ctx.store.messages.forget_content(message.message_id)
