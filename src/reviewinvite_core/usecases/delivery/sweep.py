"""What time has overtaken: claims whose worker is gone, invitations that waited too long, and spent tallies."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    OVERDUE_AFTER,
    Invitation,
)
from reviewinvite_core.domain.limits import DAY, MINUTE, day_of
from reviewinvite_core.usecases.context import UnitContext

MOST_AT_ONCE = 500
NO_LEASE_IS_SO_LONG = timedelta(days=2)  # twice the longest that can be set: another worker's may be longer than ours


def recover_abandoned(ctx: UnitContext) -> Sequence[Invitation]:
    """Settle what a worker left behind when it died; gives what was changed, as it is now.

    Before the fence it goes back to be sent; after it, the message may be out: `uncertain`, never sent again
    by itself (ADR-7). So does what is held for longer than any lease: by a clock that was ahead (ADR-12).
    """
    recovered = []
    for held in ctx.store.invitations.abandoned(ctx.now, ctx.now + NO_LEASE_IS_SO_LONG, MOST_AT_ONCE):
        if held.state is State.CLAIMED:
            after = held.moved(State.SCHEDULED, Reason.LEASE_EXPIRED, ctx.now)
        else:
            after = held.moved(State.UNCERTAIN, Reason.PROCESS_DIED, ctx.now, claim=held.claim)
        if ctx.store.invitations.change(held, after):
            recovered.append(after)
    return recovered


def expire_overdue(ctx: UnitContext) -> Sequence[Invitation]:
    """Give up invitations due more than 60 days ago: their shop stayed inactive, or no worker ran."""
    expired = []
    for waiting in ctx.store.invitations.overdue(ctx.now - OVERDUE_AFTER, MOST_AT_ONCE):
        after = waiting.moved(State.EXPIRED, Reason.OVERDUE, ctx.now)
        if ctx.store.invitations.change(waiting, after):
            expired.append(after)
    return expired


def sweep_rate_limit_log(ctx: UnitContext) -> int:
    """Forget admissions that bind nobody any more; how many."""
    spent, set_back = ctx.now - MINUTE - timedelta(seconds=10), ctx.now + MINUTE
    return ctx.store.rate_limit_log.sweep(before=spent, after=set_back, limit=MOST_AT_ONCE)


def sweep_daily_counters(ctx: UnitContext) -> int:
    """Forget what was counted before yesterday: on that day the clock of another machine may still be. How many."""
    return ctx.store.daily_counters.sweep(day_of(ctx.now) - DAY, MOST_AT_ONCE)
