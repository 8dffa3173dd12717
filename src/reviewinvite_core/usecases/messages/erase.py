"""Erase a notice to a person who is erased, or is a member no more. ADR-57."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.usecases.context import UnitContext


def erase_notice(ctx: UnitContext, notice: Notice) -> bool:
    """Cancel a notice that waits and remove its content; return whether it had any."""
    if notice.can_move(State.CANCELLED, Reason.ERASED):
        ctx.store.notices.change(notice, notice.moved(State.CANCELLED, Reason.ERASED, ctx.now))
        return notice.sealed is not None
    return ctx.store.notices.forget_content(notice.message_id)
