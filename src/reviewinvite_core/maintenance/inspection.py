"""Inspect an installation without changing it: nothing is created, migrated or repaired."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import attrs

from reviewinvite_core.adapters.job_log import JobLog
from reviewinvite_core.bootstrap import key_ring
from reviewinvite_core.bootstrap.adapter_factory import (
    default_high_water_mark_path,
    is_postgres,
    machine_time,
    open_high_water_mark,
    open_job_log,
    open_storage,
    sqlite_path,
)
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.domain.invitation_figures import WEEK, Counted, week_of
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.workers import PACE
from reviewinvite_core.ports import Condition, Storage, Store
from reviewinvite_core.usecases.delivery.backlog import Backlog, measure_backlog
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, find_pause

T = TypeVar("T")

QUICKLY_SEARCHED = 256 << 20  # bytes; a slow disk takes some seconds


@attrs.frozen(kw_only=True)
class SecretLocation:
    """Where the secret comes from: `file`, or None if it is given as text; and whether that is readable by others."""

    file: Path | None
    is_weak: bool
    others_can_read: bool


@attrs.frozen(kw_only=True)
class Space:
    """Room on the disk of a database's file, and the size of the database with its log, all in bytes."""

    file: Path
    free: int
    database: int


@attrs.frozen(kw_only=True)
class DeliveryFigures:
    """What waits, how many workers beat in the last two minutes and how many did not, by the storage's clock.

    `sent` and `rejected` are numbers of invitations, of this week and the last.
    """

    backlog: Backlog
    workers: int
    silent: int
    sent: int
    rejected: int


class Inspection:
    """Answers questions about the installation that these settings describe.

    Storage is opened once, by the first question that needs it; the others wait for it. Every method may be called on
    any thread, and raises `ConfigurationError` or `StorageUnavailable` if it cannot answer. Close it when done.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._opening = threading.Lock()
        self._storage: Storage | None = None
        self._fault: Exception | None = None

    def close(self) -> None:
        """Close storage, if it is open."""
        if self._storage is not None:
            self._storage.close()

    def condition(self) -> Condition:
        """Return the condition of storage.

        Raises: `DatabaseMissing`, `SchemaTooOld`, `SchemaTooNew`, `CopyUnfinished`; as all methods.
        """
        return self._opened().condition()

    def look_for_damage(self) -> bool:
        """Return whether a SQLite file was searched for damage; one that takes long is not. PostgreSQL does it itself.

        Raises: `DatabaseDamaged`; as all methods.
        """
        space = self.space()
        if space is None:
            return True
        if space.database > QUICKLY_SEARCHED:
            return False
        from reviewinvite_core.adapters.sql.sqlite.maintenance import require_undamaged

        require_undamaged(space.file)
        return True

    def unsound_sqlite(self) -> str | None:
        """Return the version of SQLite if it has the bug of which docs/how-to/run-with-sqlite.md tells, or None."""
        import sqlite3

        from reviewinvite_core.adapters.sql.sqlite.maintenance import has_reset_bug

        return sqlite3.sqlite_version if has_reset_bug() else None

    def secret(self) -> SecretLocation | None:
        """Return where the secret is; None if there is none yet, which is right for a new SQLite database only.

        Raises: `SecretMissing`; as all methods.
        """
        key_ring.require_shared_secret(self.settings)
        file = None if self.settings.secret is not None else key_ring.secret_path(self.settings)
        if file is not None and not self.settings.secret_file and not file.exists():
            return None
        is_weak = key_ring.is_secret_weak(self.settings)
        return SecretLocation(file=file, is_weak=is_weak, others_can_read=bool(file and file.stat().st_mode & 0o077))

    def try_secret(self) -> bool:
        """Return whether the secret opens the key ring; False if the database has no key ring yet.

        Raises: `SecretMissing`, `SecretWrong`; as all methods.
        """
        key_ring.require_right_secret(self._sealed_ring, self.settings)
        return self._sealed_ring() is not None

    def mark_file(self) -> Path | None:
        """Return the file of the hand-over mark, which may not exist; None for storage in memory."""
        return self.settings.handover_mark or default_high_water_mark_path(self.settings.database_url)

    def pause(self) -> DeliveryPaused | None:
        """Return why deliveries are paused, or None.

        Raises: `HighWaterMarkUnreadable`; as all methods.
        """
        from reviewinvite_core.adapters.system import SystemEntropy

        high_water_mark, storage = open_high_water_mark(self.settings, SystemEntropy()), self._opened()
        if high_water_mark is None:
            return None
        guard = RestoreGuard(store=high_water_mark, one_host=storage.one_host)
        pause = find_pause(guard, lambda: storage.read(lambda store: store.hosts.every()))
        if high_water_mark.read() is not None:
            high_water_mark.recall()
        return DeliveryPaused(pause) if pause else None

    def deliveries(self) -> DeliveryFigures:
        """Return how deliveries go."""
        return self._read(_delivery_figures)

    def job_log(self) -> JobLog:
        """Return what backups and purges have reported."""
        return open_job_log(self.settings)

    def is_mark_of_last_release(self) -> bool:
        """Return whether the hand-over mark is one that the last release can read, so that its way back is open."""
        from reviewinvite_core.adapters.system import SystemEntropy

        high_water_mark = open_high_water_mark(self.settings, SystemEntropy())
        return high_water_mark is not None and high_water_mark.is_of_last_release()

    def database_now(self) -> datetime | None:
        """Return the clock of the database's server, or None if the database has no clock of its own."""
        return self._read(lambda store: store.now())

    def signing_key_ids(self) -> frozenset[str]:
        """Return the ids of all signing keys, which tell installations apart."""
        return frozenset(key.key_id for key in self._read(lambda store: store.signing_keys.every()))

    def space(self) -> Space | None:
        """Return the room for a SQLite database; None for others, whose disk cannot be seen from here.

        Raises: `OSError` if there is no such folder.
        """
        if self.settings.database_url == "memory:" or is_postgres(self.settings.database_url):
            return None
        path = sqlite_path(self.settings.database_url)
        disk = os.statvfs(path.parent)
        files = (path, path.with_name(f"{path.name}-wal"))
        return Space(
            file=path,
            free=disk.f_frsize * (disk.f_bavail if os.geteuid() else disk.f_bfree),
            database=sum(file.stat().st_size for file in files if file.exists()),
        )

    def _sealed_ring(self) -> bytes | None:
        return self._read(lambda store: store.sealed_key_ring())

    def _read(self, unit: Callable[[Store], T]) -> T:
        return self._opened().read(unit)

    def _opened(self) -> Storage:
        with self._opening:
            if self._fault is not None:
                raise self._fault
            if self._storage is None:
                try:
                    self._storage = self._open()
                except Exception as fault:
                    self._fault = fault
                    raise
            return self._storage

    def _open(self) -> Storage:
        if self.settings.database_url == "memory:":
            raise ConfigurationError("a database in memory is empty for every new process")
        return open_storage(self.settings.database_url, create=False, wait=False)


def _delivery_figures(store: Store) -> DeliveryFigures:
    now = store.now() or machine_time()
    since = week_of(now.date()) - WEEK
    counts: dict[Counted, int] = dict.fromkeys((State.SENT, State.REJECTED), 0)
    for shop in store.shops.every():
        for (state, week), counted in store.invitation_figures.figures(shop.number, since).items():
            if state in counts and week >= since:
                counts[state] += counted
    silent = [each for each in store.workers.every() if now - each.at > PACE.missing_after]
    return DeliveryFigures(
        backlog=measure_backlog(store, now, PACE),
        workers=len(store.workers.every()) - len(silent),
        silent=len(silent),
        sent=counts[State.SENT],
        rejected=counts[State.REJECTED],
    )
