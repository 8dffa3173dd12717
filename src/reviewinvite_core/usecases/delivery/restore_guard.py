"""Detect a database that is older than what this host has sent: then nothing may be sent. Spec: §6, ADR-20."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from reviewinvite_core.domain.handovers import (
    DeliveryHost,
    DeliveryPaused,
    HighWaterMark,
    Pause,
    RecordedHandOvers,
    pause_of,
)
from reviewinvite_core.ports import HighWaterMarkStore
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.sign_in.sessions import void_sign_ins


@attrs.frozen(kw_only=True)
class RestoreGuard:
    """Compares this host's high-water mark with the database; `one_host` is whether only this host can use it."""

    store: HighWaterMarkStore
    one_host: bool


@attrs.frozen(kw_only=True)
class HighWaterMarkSnapshot:
    """The mark as read before a unit of work began; the hand-overs that it names are read only if it is ahead."""

    mark: HighWaterMark
    recall: Callable[[], RecordedHandOvers]
    one_host: bool


def read_high_water_mark(transactions: TransactionRunner, guard: RestoreGuard | None) -> HighWaterMarkSnapshot | None:
    """Return the current mark, to compare in a unit of work that begins afterwards; create a missing one.

    Return None if storage does not outlive the process.

    Raises: `DeliveryPaused` if it has been lost; `ConfigurationError`, `StorageUnavailable`.
    """
    if guard is None:
        return None
    high_water_mark = guard.store.read()
    if high_water_mark is None and guard.one_host and transactions.run(_knows_hosts, locks=frozenset()):
        high_water_mark = guard.store.read()  # another process may have just created it, before registering its host
        if high_water_mark is None:
            raise DeliveryPaused(Pause.MARK_MISSING)
    return snapshot_of(high_water_mark or guard.store.make(), guard)


def snapshot_of(high_water_mark: HighWaterMark, guard: RestoreGuard) -> HighWaterMarkSnapshot:
    """Return a snapshot of this mark, to compare in a unit of work."""
    return HighWaterMarkSnapshot(mark=high_water_mark, recall=guard.store.recall, one_host=guard.one_host)


def check_for_rollback(ctx: UnitContext, snapshot: HighWaterMarkSnapshot | None) -> Pause | None:
    """Return why deliveries must pause, and record it for all hosts; or return None and register a new host.

    The host that finds the database to be an older copy also voids what signs in.
    """
    if snapshot is None:
        return None
    host = snapshot.mark.host
    known = ctx.store.hosts.with_all_ahead(host)
    pause = pause_of(snapshot.mark, known)
    ours = next((each for each in known if each.host == host), None)
    if pause is Pause.MARK_AHEAD:
        if ours is None or ours.ahead is None:
            void_sign_ins(ctx)
        ctx.store.hosts.note_ahead(snapshot.recall().since(ours.fence if ours else 0))
    elif ours is None and snapshot.one_host and ctx.store.hosts.every():
        return Pause.MARK_MISSING
    elif ours is None:
        ctx.store.hosts.register(host)
    return pause


def find_pause(guard: RestoreGuard, hosts: Callable[[], Sequence[DeliveryHost]]) -> Pause | None:
    """Return why deliveries must pause, or None; change nothing. `hosts` queries all hosts in the database.

    Raises: `ConfigurationError` if the mark is damaged; what `hosts` raises.
    """
    high_water_mark = guard.store.read()
    known = hosts()
    if high_water_mark is None and guard.one_host and known and guard.store.read() is not None:
        return None  # another process has just created it
    return pause_at(high_water_mark, known, one_host=guard.one_host)


def pause_at(high_water_mark: HighWaterMark | None, known: Sequence[DeliveryHost], *, one_host: bool) -> Pause | None:
    """Return why a host with this mark, or without one, must not deliver, or None; `known` are all known hosts."""
    if one_host and is_mark_missing(high_water_mark.host if high_water_mark else None, known):
        return (pause_of(high_water_mark, known) if high_water_mark else None) or Pause.MARK_MISSING
    if high_water_mark:
        return pause_of(high_water_mark, known)
    return Pause.OTHER_HOST_AHEAD if any(each.ahead is not None for each in known) else None


def is_mark_missing(host: str | None, known: Sequence[DeliveryHost]) -> bool:
    """Return whether a database of one host knows a mark, but not the one of `host` (None if there is no mark).

    A mark that the database does not know was created after the known one was lost, and the database is a copy made
    before that.
    """
    return bool(known) and all(each.host != host for each in known)


def _knows_hosts(ctx: UnitContext) -> bool:
    return bool(ctx.store.hosts.every())
