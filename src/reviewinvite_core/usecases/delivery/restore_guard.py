"""Is the database older than what this host has sent? Then nothing may leave. Spec: §6, ADR-20."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.handovers import DeliveryHost, DeliveryPaused, HighWaterMark, Pause, pause_of
from reviewinvite_core.ports import HighWaterMarkStore
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext

HighWaterMarkSnapshot: TypeAlias = HighWaterMark | None
"""The mark as it stood before a unit of work began; None where storage does not outlive the process."""


@attrs.frozen(kw_only=True)
class RestoreGuard:
    """The mark that is watched; `one_host` where no other host can use the database."""

    mark: HighWaterMarkStore
    one_host: bool


def read_high_water_mark(perform: TransactionRunner, watch: RestoreGuard | None) -> HighWaterMarkSnapshot:
    """The mark as it stands now, to be compared in a unit of work that begins after this; made where there is none.

    Raises: `DeliveryPaused` where it has been lost; `ConfigurationError`, `StorageUnavailable`.
    """
    if watch is None:
        return None
    mark = watch.mark.read()
    if mark is None and watch.one_host and perform(_knows_hosts, locks=frozenset()):
        mark = watch.mark.read()  # another process may have made it just now, before it registered its host
        if mark is None:
            raise DeliveryPaused(Pause.MARK_MISSING)
    return mark or watch.mark.make()


def check_for_rollback(ctx: UnitContext, mark: HighWaterMarkSnapshot) -> Pause | None:
    """Whether deliveries have to pause, told to all other hosts; a host that has let nothing out is registered."""
    if mark is None:
        return None
    known = ctx.store.hosts.standing(mark.host)
    pause = pause_of(mark, known)
    if pause is Pause.MARK_AHEAD:
        ctx.store.hosts.note_ahead(mark)
    elif all(each.host != mark.host for each in known):
        ctx.store.hosts.register(mark.host)
    return pause


def find_pause(watch: RestoreGuard, hosts: Callable[[], Sequence[DeliveryHost]]) -> Pause | None:
    """Whether deliveries have to pause; changes nothing. `hosts` asks the database for all that it knows.

    Raises: `ConfigurationError` where the mark is damaged; what `hosts` raises.
    """
    mark = watch.mark.read()
    known = hosts()
    if mark is not None:
        return pause_of(mark, known)
    return Pause.MARK_MISSING if watch.one_host and known and watch.mark.read() is None else None


def _knows_hosts(ctx: UnitContext) -> bool:
    return bool(ctx.store.hosts.every())
