"""Clean up notices: claims of dead workers, those that have expired, and those that ended long ago. ADR-57."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.usecases.context import UnitContext

KEPT = timedelta(days=7)
"""How long a notice stays after it expired, so that an operator can see what became of it."""


def recover_notices(ctx: UnitContext, longest_lease: timedelta, most: int) -> Sequence[Notice]:
    """Recover notices that a worker left behind when it died; return those changed, as they are now.

    One that had not passed the fence waits again. One that had may have been sent: it becomes `uncertain`, and is never
    sent again by itself (ADR-7).
    """
    recovered = []
    for held in ctx.store.notices.abandoned(ctx.now, ctx.now + longest_lease, most):
        if held.state is State.CLAIMED:
            after = held.moved(State.SCHEDULED, Reason.LEASE_EXPIRED, ctx.now)
        else:
            after = held.moved(State.UNCERTAIN, Reason.PROCESS_DIED, ctx.now, claim=held.claim)
        if ctx.store.notices.change(held, after):
            recovered.append(after)
    return recovered


def expire_notices(ctx: UnitContext, most: int) -> Sequence[Notice]:
    """Expire notices that were not sent in time, which removes their content; return them."""
    expired = []
    for late in ctx.store.notices.overdue(ctx.now, most):
        after = late.moved(State.EXPIRED, Reason.OVERDUE, ctx.now)
        if ctx.store.notices.change(late, after):
            expired.append(after)
    return expired


def delete_notices(ctx: UnitContext, most: int) -> int:
    """Delete notices that expired a week ago; return how many."""
    return ctx.store.notices.sweep(ctx.now - KEPT, most)
