"""Move claimed notices to their next state, unless another process has done so. Spec: §6, ADR-57."""

from __future__ import annotations

from datetime import datetime

import attrs

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.usecases.context import UnitContext

MOST_TRIES = 4  # during our claim only the lease's end can change the state


def record_notice(
    ctx: UnitContext,
    ours: Notice,
    to: State,
    reason: Reason,
    *,
    due_at: datetime | None = None,
    reply: str | None = None,
    refused_at: datetime | None = None,
) -> Notice:
    """Move the notice if our claim still holds, and return it as it is now; a late answer overrides `uncertain`.

    One in doubt keeps its claim, for a late answer.
    """
    now = ours
    for _ in range(MOST_TRIES):
        if _is_ours(now, ours) and now.can_move(to, reason):
            claim = now.claim if to is State.UNCERTAIN else None
            moved = now.moved(to, reason, ctx.now, claim=claim, due_at=due_at, reply=reply)
            after = attrs.evolve(moved, refused_at=refused_at)
            if ctx.store.notices.change(now, after):
                return after
        elif now is not ours:
            return now
        now = ctx.store.notices.find(ours.message_id) or ours
    return now


def _is_ours(now: Notice, ours: Notice) -> bool:
    return now.claim is not None and ours.claim is not None and now.claim.token == ours.claim.token
