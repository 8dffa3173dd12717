"""Settle what an older copy of the database cannot know: what was due by now may have been sent. Spec: §6, ADR-20."""

from __future__ import annotations

from datetime import datetime

from reviewinvite_core.domain.handovers import HighWaterMark, host_lock
from reviewinvite_core.domain.invitations import Reason, State
from reviewinvite_core.ports import GLOBAL_LOCK
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, check_for_rollback

MOST_AT_ONCE = 500


def reconcile(perform: TransactionRunner, watch: RestoreGuard) -> int:
    """Make all that may have been sent `uncertain`, and let deliveries go on; how many there were.

    Where deliveries are not paused nothing is done. Only when all is settled do they go on, so that one that was
    broken off can be repeated.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    mark = watch.mark.read()
    until = perform(lambda ctx: _doubtful_until(ctx, mark, watch))
    if until is None:
        return 0
    settled, more = 0, True
    while more:
        changed, more = perform(lambda ctx: _settle_batch(ctx, until))
        settled += changed
    if mark is None and watch.one_host:
        mark = watch.mark.make()
    locks = GLOBAL_LOCK | {host_lock(mark.host)} if mark else GLOBAL_LOCK
    perform(lambda ctx: _go_on(ctx, mark), locks=locks)
    return settled


def _doubtful_until(ctx: UnitContext, mark: HighWaterMark | None, watch: RestoreGuard) -> datetime | None:
    """What was to be sent by then may have been; None where there is no doubt."""
    if mark is not None:
        check_for_rollback(ctx, mark)
    known = ctx.store.hosts.every()
    ahead = [each for each in known if each.ahead is not None]
    if not ahead and not (mark is None and watch.one_host and known):
        return None
    return max([ctx.now, *(each.horizon for each in ahead if each.horizon)])


def _settle_batch(ctx: UnitContext, until: datetime) -> tuple[int, bool]:
    """How many were settled, and whether there may be more."""
    changed = 0
    found = ctx.store.invitations.in_doubt(until, MOST_AT_ONCE)
    for doubtful in found:
        # an answer that is still awaited is one to this very hand-over; what is only claimed has none to wait for
        claim = doubtful.claim if doubtful.state is State.HANDING_OVER else None
        after = doubtful.moved(State.UNCERTAIN, Reason.RECONCILED, ctx.now, claim=claim)
        changed += ctx.store.invitations.change(doubtful, after)
    return changed, bool(found)


def _go_on(ctx: UnitContext, mark: HighWaterMark | None) -> None:
    if mark is not None:
        ctx.store.hosts.register(mark.host)
        ctx.store.hosts.catch_up(mark.host, mark.number)
    for known in ctx.store.hosts.every():
        if known.ahead is not None:
            ctx.store.hosts.catch_up(known.host, known.ahead)
