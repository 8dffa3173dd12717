"""Is the database older than what this host has sent? Then nothing may leave. Spec: §6, ADR-20."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from reviewinvite_core.domain.handovers import DeliveryHost, DeliveryPaused, HighWaterMark, LetOut, Pause, pause_of
from reviewinvite_core.ports import HighWaterMarkStore
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext


@attrs.frozen(kw_only=True)
class RestoreGuard:
    """Compares this host's high-water mark with the database; `one_host` if no other host can use the database."""

    store: HighWaterMarkStore
    one_host: bool


@attrs.frozen(kw_only=True)
class HighWaterMarkSnapshot:
    """The mark as it stood before a unit of work began; what it names is asked for only if it is ahead."""

    mark: HighWaterMark
    recall: Callable[[], LetOut]
    one_host: bool


def read_high_water_mark(transactions: TransactionRunner, guard: RestoreGuard | None) -> HighWaterMarkSnapshot | None:
    """The mark as it stands now, to be compared in a unit of work that begins after this; made where there is none.

    None if storage does not outlive the process.

    Raises: `DeliveryPaused` if it has been lost; `ConfigurationError`, `StorageUnavailable`.
    """
    if guard is None:
        return None
    high_water_mark = guard.store.read()
    if high_water_mark is None and guard.one_host and transactions.run(_knows_hosts, locks=frozenset()):
        high_water_mark = guard.store.read()  # another process may have made it just now, before it registered its host
        if high_water_mark is None:
            raise DeliveryPaused(Pause.MARK_MISSING)
    return snapshot_of(high_water_mark or guard.store.make(), guard)


def snapshot_of(high_water_mark: HighWaterMark, guard: RestoreGuard) -> HighWaterMarkSnapshot:
    return HighWaterMarkSnapshot(mark=high_water_mark, recall=guard.store.recall, one_host=guard.one_host)


def check_for_rollback(ctx: UnitContext, snapshot: HighWaterMarkSnapshot | None) -> Pause | None:
    """Whether deliveries have to pause, told to all other hosts; a host that has let nothing out is registered."""
    if snapshot is None:
        return None
    host = snapshot.mark.host
    known = ctx.store.hosts.with_all_ahead(host)
    pause = pause_of(snapshot.mark, known)
    ours = next((each for each in known if each.host == host), None)
    if pause is Pause.MARK_AHEAD:
        ctx.store.hosts.note_ahead(snapshot.recall().since(ours.fence if ours else 0))
    elif ours is None and snapshot.one_host and ctx.store.hosts.every():
        return Pause.MARK_MISSING
    elif ours is None:
        ctx.store.hosts.register(host)
    return pause


def find_pause(guard: RestoreGuard, hosts: Callable[[], Sequence[DeliveryHost]]) -> Pause | None:
    """Whether deliveries have to pause; changes nothing. `hosts` asks the database for all that it knows.

    Raises: `ConfigurationError` if the mark is damaged; what `hosts` raises.
    """
    high_water_mark = guard.store.read()
    known = hosts()
    if high_water_mark is not None:
        is_strange = guard.one_host and is_mark_missing(high_water_mark.host, known)
        return pause_of(high_water_mark, known) or (Pause.MARK_MISSING if is_strange else None)
    return Pause.MARK_MISSING if guard.one_host and known and guard.store.read() is None else None


def is_mark_missing(host: str | None, known: Sequence[DeliveryHost]) -> bool:
    """Whether the mark that a database of one host knows is not there: there is none, or that of a `host` it never met.

    The latter was made when that one had been lost, and the database is a copy from before.
    """
    return bool(known) and all(each.host != host for each in known)


def _knows_hosts(ctx: UnitContext) -> bool:
    return bool(ctx.store.hosts.every())
