"""What time has overtaken: claims whose worker is gone, invitations that waited too long, and spent tallies."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from reviewinvite_core.domain.invitations import OVERDUE_AFTER, Invitation, Reason, State
from reviewinvite_core.domain.limits import DAY, MINUTE, day_of
from reviewinvite_core.usecases.context import UnitContext

MOST_AT_ONCE = 500
NO_LEASE_IS_SO_LONG = timedelta(days=2)  # twice the longest that can be set: another worker's may be longer than ours


def recover_abandoned(work: UnitContext) -> Sequence[Invitation]:
    """Settle what a worker left behind when it died; gives what was changed, as it is now.

    Before the fence it goes back to be sent; after it, the message may be out: `uncertain`, never sent again
    by itself (ADR-7). So does what is held for longer than any lease: by a clock that was ahead (ADR-12).
    """
    recovered = []
    for held in work.store.invitations.abandoned(work.now, work.now + NO_LEASE_IS_SO_LONG, MOST_AT_ONCE):
        if held.state is State.CLAIMED:
            after = held.moved(State.SCHEDULED, Reason.LEASE_EXPIRED, work.now)
        else:
            after = held.moved(State.UNCERTAIN, Reason.PROCESS_DIED, work.now, claim=held.claim)
        if work.store.invitations.change(held, after):
            recovered.append(after)
    return recovered


def expire_overdue(work: UnitContext) -> Sequence[Invitation]:
    """Give up invitations due more than 60 days ago: their shop stayed inactive, or no worker ran."""
    expired = []
    for waiting in work.store.invitations.overdue(work.now - OVERDUE_AFTER, MOST_AT_ONCE):
        after = waiting.moved(State.EXPIRED, Reason.OVERDUE, work.now)
        if work.store.invitations.change(waiting, after):
            expired.append(after)
    return expired


def sweep_tallies(work: UnitContext) -> int:
    """Forget admissions that bind nobody any more; how many."""
    spent, set_back = work.now - MINUTE - timedelta(seconds=10), work.now + MINUTE
    return work.store.rate_limit_log.sweep(before=spent, after=set_back, limit=MOST_AT_ONCE)


def sweep_day_tallies(work: UnitContext) -> int:
    """Forget what was counted before yesterday: on that day the clock of another machine may still be. How many."""
    return work.store.daily_counters.sweep(day_of(work.now) - DAY, MOST_AT_ONCE)
