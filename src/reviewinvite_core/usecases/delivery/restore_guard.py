"""Detect a database that is older than what this host has sent: then nothing may be sent. Spec: §6, ADR-20."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.handovers import DeliveryHost, DeliveryPaused, HighWaterMark, Pause, pause_of
from reviewinvite_core.ports import HighWaterMarkStore
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext

HighWaterMarkSnapshot: TypeAlias = HighWaterMark | None
"""The mark as read before a unit of work began; None if storage does not outlive the process."""


@attrs.frozen(kw_only=True)
class RestoreGuard:
    """Compares this host's high-water mark with the database; `one_host` if no other host can use the database."""

    store: HighWaterMarkStore
    one_host: bool


def read_high_water_mark(transactions: TransactionRunner, guard: RestoreGuard | None) -> HighWaterMarkSnapshot:
    """Return the current mark, to compare in a unit of work that begins afterwards; create it if there is none.

    Raises: `DeliveryPaused` if it has been lost; `ConfigurationError`, `StorageUnavailable`.
    """
    if guard is None:
        return None
    high_water_mark = guard.store.read()
    if high_water_mark is None and guard.one_host and transactions.run(_knows_hosts, locks=frozenset()):
        high_water_mark = guard.store.read()  # another process may have just created it, before registering its host
        if high_water_mark is None:
            raise DeliveryPaused(Pause.MARK_MISSING)
    return high_water_mark or guard.store.make()


def check_for_rollback(ctx: UnitContext, high_water_mark: HighWaterMarkSnapshot) -> Pause | None:
    """Return why deliveries must pause, and record it for all hosts, or None; register a host that has sent nothing."""
    if high_water_mark is None:
        return None
    known = ctx.store.hosts.with_all_ahead(high_water_mark.host)
    pause = pause_of(high_water_mark, known)
    if pause is Pause.MARK_AHEAD:
        ctx.store.hosts.note_ahead(high_water_mark)
    elif all(each.host != high_water_mark.host for each in known):
        ctx.store.hosts.register(high_water_mark.host)
    return pause


def find_pause(guard: RestoreGuard, hosts: Callable[[], Sequence[DeliveryHost]]) -> Pause | None:
    """Return why deliveries must pause, or None; change nothing. `hosts` queries all hosts in the database.

    Raises: `ConfigurationError` if the mark is damaged; what `hosts` raises.
    """
    high_water_mark = guard.store.read()
    known = hosts()
    if high_water_mark is not None:
        return pause_of(high_water_mark, known)
    return Pause.MARK_MISSING if guard.one_host and known and guard.store.read() is None else None


def _knows_hosts(ctx: UnitContext) -> bool:
    return bool(ctx.store.hosts.every())
