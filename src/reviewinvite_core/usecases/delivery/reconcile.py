"""Reconcile an older copy of the database: find what may have been sent since. Spec: §6, ADR-20, ADR-42."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

import attrs

from reviewinvite_core.domain.deliveries import ItemKey
from reviewinvite_core.domain.handovers import DeliveryHost, HighWaterMark, host_lock
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.ports import GLOBAL_LOCK
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.outcomes import change_all, kinds_of
from reviewinvite_core.usecases.delivery.restore_guard import (
    HighWaterMarkSnapshot,
    RestoreGuard,
    check_for_rollback,
    is_mark_missing,
    snapshot_of,
)

MOST_AT_ONCE = 500


@attrs.frozen(kw_only=True)
class _Doubt:
    """Invitations that may have been sent: `named`, those past the fence, and those to be sent by `until`, if set.

    `settles` maps each host whose mark was ahead to the number of its mark, up to which everything is covered here.
    """

    named: Sequence[ItemKey]
    until: datetime | None
    settles: Mapping[str, int]


def reconcile(transactions: TransactionRunner, guard: RestoreGuard) -> int:
    """Mark every invitation that may have been sent as `uncertain`, resume deliveries, and return how many were marked.

    Notices are marked, too, but not counted: nobody resolves them. Does nothing unless deliveries are paused. They
    resume only after all of these are marked, so that an interrupted run can be repeated. If another host's mark is
    found to be ahead meanwhile, what it sent is marked, too.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    resolved = 0
    while (doubt := _find_doubt(transactions, guard)) is not None:
        resolved += _resolve(transactions, doubt)
        _let_go_on(transactions, guard, doubt)
    return resolved


def _find_doubt(transactions: TransactionRunner, guard: RestoreGuard) -> _Doubt | None:
    mark = guard.store.read()
    snapshot = snapshot_of(mark, guard) if mark else None
    return transactions.run(lambda ctx: _doubt(ctx, snapshot, guard))


def _doubt(ctx: UnitContext, snapshot: HighWaterMarkSnapshot | None, guard: RestoreGuard) -> _Doubt | None:
    """Return the invitations that may have been sent, or None if deliveries need not be paused."""
    if snapshot:
        check_for_rollback(ctx, snapshot)
    known = ctx.store.hosts.every()
    ahead = [each for each in known if each.ahead is not None]
    mark_missing = guard.one_host and is_mark_missing(snapshot.mark.host if snapshot else None, known)
    if not ahead and not mark_missing:
        return None
    horizons = [each.horizon for each in ahead if each.horizon]
    if not _is_all_known(known, snapshot, guard):
        horizons.append(ctx.now)
    return _Doubt(
        named=sorted({named for each in ahead for named in each.named}),
        until=max(horizons, default=None),
        settles={each.host: each.ahead for each in ahead if each.ahead is not None},
    )


def _is_all_known(known: Sequence[DeliveryHost], snapshot: HighWaterMarkSnapshot | None, guard: RestoreGuard) -> bool:
    """Return whether this host's mark shows everything sent: no other host has sent from this database, or can send."""
    return guard.one_host and snapshot is not None and all(each.host == snapshot.mark.host for each in known)


def _resolve(transactions: TransactionRunner, doubt: _Doubt) -> int:
    resolved, more = 0, True
    for first in range(0, len(doubt.named), MOST_AT_ONCE):
        some = doubt.named[first : first + MOST_AT_ONCE]
        resolved += transactions.run(partial(_resolve_named, named=some))
    while more:
        changed, more = transactions.run(lambda ctx: _resolve_batch(ctx, doubt.until))
        resolved += changed
    return resolved


def _resolve_named(ctx: UnitContext, named: Sequence[ItemKey]) -> int:
    """Mark what the marks of the hosts name; each kind knows its own."""
    return _make_uncertain(ctx, [item for kind in kinds_of(ctx) for item in kind.find_all(named).values()])


def _resolve_batch(ctx: UnitContext, until: datetime | None) -> tuple[int, bool]:
    """Mark a batch as `uncertain`; return how many invitations were marked, and whether there may be more."""
    found = [item for kind in kinds_of(ctx) for item in kind.in_doubt(until, MOST_AT_ONCE)]
    return _make_uncertain(ctx, found), bool(found)


def _make_uncertain(ctx: UnitContext, doubtful: Sequence[MailItem]) -> int:
    """Mark these as `uncertain`, if the table of their kind allows it; return how many invitations were marked."""
    changes = [
        (item, item.moved(State.UNCERTAIN, Reason.RECONCILED, ctx.now))
        for item in doubtful
        if item.can_move(State.UNCERTAIN, Reason.RECONCILED)
    ]
    return sum(isinstance(item, Invitation) for item in change_all(ctx, changes).values())


def _let_go_on(transactions: TransactionRunner, guard: RestoreGuard, doubt: _Doubt) -> None:
    high_water_mark = guard.store.read()
    if high_water_mark is None and guard.one_host:
        high_water_mark = guard.store.make()
    locks = GLOBAL_LOCK | {host_lock(high_water_mark.host)} if high_water_mark else GLOBAL_LOCK
    transactions.run(lambda ctx: _go_on(ctx, high_water_mark, doubt.settles), locks=locks)


def _go_on(ctx: UnitContext, high_water_mark: HighWaterMark | None, settles: Mapping[str, int]) -> None:
    """Resume deliveries, unless a mark was found meanwhile that is ahead of the numbers in `settles`.

    It draws another epoch: what the copy has as rejected may have been tried again, and sent, since it was made.
    """
    epoch = int.from_bytes(ctx.entropy.draw(8), "big") >> 1  # 63 bits, as a column holds
    ctx.store.relay.keep(attrs.evolve(ctx.store.relay.lock(), epoch=epoch))
    if high_water_mark is not None:
        ctx.store.hosts.register(high_water_mark.host)
    for known in ctx.store.hosts.every():
        if known.ahead is not None and known.ahead <= settles.get(known.host, -1):
            ctx.store.hosts.catch_up(known.host, known.ahead)
