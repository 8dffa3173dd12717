"""Reconcile an older copy of the database: invitations due by now may have been sent. Spec: §6, ADR-20."""

from __future__ import annotations

from datetime import datetime

from reviewinvite_core.domain.handovers import HighWaterMark, host_lock
from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.ports import GLOBAL_LOCK
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, check_for_rollback

MOST_AT_ONCE = 500


def reconcile(transactions: TransactionRunner, guard: RestoreGuard) -> int:
    """Make everything that may have been sent `uncertain`, resume deliveries, and return how many there were.

    Does nothing unless deliveries are paused. They resume only when everything is resolved, so that an interrupted run
    can be repeated.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    high_water_mark = guard.store.read()
    until = transactions.run(lambda ctx: _doubtful_until(ctx, high_water_mark, guard))
    if until is None:
        return 0
    resolved, more = 0, True
    while more:
        changed, more = transactions.run(lambda ctx: _resolve_batch(ctx, until))
        resolved += changed
    if high_water_mark is None and guard.one_host:
        high_water_mark = guard.store.make()
    locks = GLOBAL_LOCK | {host_lock(high_water_mark.host)} if high_water_mark else GLOBAL_LOCK
    transactions.run(lambda ctx: _go_on(ctx, high_water_mark), locks=locks)
    return resolved


def _doubtful_until(ctx: UnitContext, high_water_mark: HighWaterMark | None, guard: RestoreGuard) -> datetime | None:
    """Return the instant until which scheduled invitations may have been sent; None if nothing is in doubt."""
    if high_water_mark is not None:
        check_for_rollback(ctx, high_water_mark)
    known = ctx.store.hosts.every()
    ahead = [each for each in known if each.ahead is not None]
    if not ahead and not (high_water_mark is None and guard.one_host and known):
        return None
    return max([ctx.now, *(each.horizon for each in ahead if each.horizon)])


def _resolve_batch(ctx: UnitContext, until: datetime) -> tuple[int, bool]:
    """Resolve a batch; return how many, and whether there may be more."""
    changed = 0
    found = ctx.store.invitations.in_doubt(until, MOST_AT_ONCE)
    for doubtful in found:
        # an awaited answer belongs to this hand-over; a mere claim awaits none
        claim = doubtful.claim if doubtful.state is State.HANDING_OVER else None
        after = doubtful.moved(State.UNCERTAIN, Reason.RECONCILED, ctx.now, claim=claim)
        changed += ctx.store.invitations.change(doubtful, after)
    return changed, bool(found)


def _go_on(ctx: UnitContext, high_water_mark: HighWaterMark | None) -> None:
    if high_water_mark is not None:
        ctx.store.hosts.register(high_water_mark.host)
        ctx.store.hosts.catch_up(high_water_mark.host, high_water_mark.number)
    for known in ctx.store.hosts.every():
        if known.ahead is not None:
            ctx.store.hosts.catch_up(known.host, known.ahead)
