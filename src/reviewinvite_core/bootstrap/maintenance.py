"""What is done to the whole database of an installation: set up, checked, copied, backed up, restored.

Adapters are imported where they are chosen, so that the front door stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain, count
from pathlib import Path

import attrs

from reviewinvite_core.adapters.sql.copy.copy import CopyReport, Progress, copy
from reviewinvite_core.adapters.sql.copy.endpoint import CopyEndpoint
from reviewinvite_core.adapters.sql.integrity import DatabaseStatistics
from reviewinvite_core.bootstrap.adapter_factory import (
    is_postgres,
    open_high_water_mark,
    open_storage,
    require_driver,
    sqlite_path,
)
from reviewinvite_core.bootstrap.key_ring import (
    earlier_secret,
    open_key_ring,
    require_right_secret,
    require_shared_secret,
)
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import ConfigurationError, SecretWrong
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.ports import HighWaterMarkStore, Storage
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, find_pause
from reviewinvite_core.usecases.reviews.recount import miscounted


@attrs.frozen(kw_only=True)
class Restored:
    """Where the database that was replaced is kept, if there was one, and how many of its decisions were carried over.

    Where none could be, `not_carried_as` tells why.
    """

    replaced: Path | None = None
    carried: Mapping[str, int] | None = None
    not_carried_as: str | None = None


def migrate_database(settings: Settings) -> Sequence[str]:
    """Bring the database to this release's schema, making it if there is none; the migrations applied.

    Raises: `SecretMissing`, `SecretWrong`, with nothing applied; `ConfigurationError`, `StorageUnavailable`.
    """
    url = settings.database_url
    if url == "memory:":
        return []
    require_shared_secret(settings)

    def try_ring(sealed: bytes | None) -> None:
        require_right_secret(lambda: sealed, settings)

    if is_postgres(url):
        require_driver()
        from reviewinvite_core.adapters.sql.postgres import migrate as postgres_migrate

        return postgres_migrate.migrate(url, try_ring=try_ring)
    from reviewinvite_core.adapters.sql.sqlite import migrate as sqlite_migrate

    return sqlite_migrate.migrate(sqlite_path(url), try_ring=try_ring)


def check_database(settings: Settings) -> Sequence[str]:
    """What is wrong with the database, in words; nothing where it is sound and no older copy of what has sent.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.system import SystemEntropy

    require_shared_secret(settings)
    storage = open_storage(settings.database_url)
    try:
        require_right_secret(lambda: storage.read(lambda store: store.sealed_key_ring()), settings)
        problems = storage.problems() or storage.read(miscounted)
        if not problems:
            entropy = SystemEntropy()
            high_water_mark = open_high_water_mark(settings, entropy)
            open_key_ring(storage, settings, entropy, high_water_mark)
            return _what_pauses(storage, high_water_mark)
        return problems
    finally:
        storage.close()


def _what_pauses(storage: Storage, high_water_mark: HighWaterMarkStore | None) -> Sequence[str]:
    if high_water_mark is None:
        return []
    guard = RestoreGuard(store=high_water_mark, one_host=storage.one_host)
    try:
        pause = find_pause(guard, lambda: storage.read(lambda store: store.hosts.every()))
        if high_water_mark.read() is not None:
            high_water_mark.recall()
    except ConfigurationError as damaged:
        return [str(damaged)]
    return [str(DeliveryPaused(pause))] if pause else []


def database_statistics(settings: Settings) -> DatabaseStatistics:
    """Return how many rows each table has, and how many bytes the database.

    Raises: `ConfigurationError` for storage in memory; `StorageUnavailable`.
    """
    url = settings.database_url
    if url == "memory:":
        raise ConfigurationError("memory: ends with its process: there are no statistics of it")
    if is_postgres(url):
        require_driver()
        from reviewinvite_core.adapters.sql.postgres import integrity

        return integrity.statistics(url)
    from reviewinvite_core.adapters.sql.sqlite import maintenance

    return maintenance.statistics(sqlite_path(url))


def copy_database(source_url: str, target_url: str, *, progress: Progress | None = None) -> CopyReport:
    """Copy all data of one SQL database into another, and compare every row; the secret stays the same.

    Safe to run again after it was broken off, and while another run still goes on, which then ends. Nobody can write
    to the source meanwhile. `progress` is told how many rows are done, and of how many.

    Raises: `ConfigurationError` if the target is the source or holds other data; `CopyTakenOver` if a later run
    goes on in place of this; `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.system import SystemEntropy

    run = SystemEntropy().draw(16).hex()
    with _end(source_url, as_target=False) as source, _end(target_url, as_target=True) as target:
        return copy(source, target, run, progress or (lambda _, __: None))


def _end(database_url: str, *, as_target: bool) -> AbstractContextManager[CopyEndpoint]:
    if database_url == "memory:":
        raise ConfigurationError("memory: cannot be copied: FROM and TO are sqlite:///FILE or postgresql://...")
    if is_postgres(database_url):
        require_driver()
        from reviewinvite_core.adapters.sql.copy import postgres_endpoint

        return postgres_endpoint.opened(database_url)
    from reviewinvite_core.adapters.sql.copy import sqlite_endpoint

    return sqlite_endpoint.opened(sqlite_path(database_url), as_target=as_target)


def backup_database(settings: Settings, file: Path, *, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy the database, as it is at one instant, to a new file; others may use it meanwhile. ADR-21.

    The secret is not in it. `progress` is told how many pages are done, and of how many.

    Raises: `FileExistsError` if there is such a file; `ConfigurationError`, `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.sql.sqlite.backup import back_up

    back_up(_path_of(settings), file, progress or _silent)


def restore_database(settings: Settings, file: Path, *, progress: Callable[[int, int], None] | None = None) -> Restored:
    """Put a backup in the place of the database, with what people decided since it was made. ADR-21.

    A kill at any instant leaves the one database or the other, whole.

    Raises: `DatabaseInUse` if a process has the database open; `ConfigurationError` if the backup will not do,
    or the secret does not open it; `FileExistsError`, `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.sql.sqlite.backup import restore

    path = _path_of(settings)
    replaced = _secret_hint(path)
    carried = restore(
        path,
        file,
        replaced=replaced,
        accepts=lambda sealed: _require_secret_of_backup(sealed, file, settings),
        progress=progress or _silent,
    )
    if carried is None:
        return Restored()
    if isinstance(carried, str):
        return Restored(replaced=replaced, not_carried_as=carried)
    return Restored(replaced=replaced, carried=attrs.asdict(carried))


def _secret_hint(path: Path) -> Path:
    """A name beside the database that no file has, for what is replaced; two within a second are told apart."""
    from reviewinvite_core.adapters.system import SystemClock

    stem = f"{path.name}.before-restore-{SystemClock().now():%Y%m%dT%H%M%SZ}"
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(file for file in map(path.with_name, names) if not file.exists())


def _require_secret_of_backup(sealed: bytes, file: Path, settings: Settings) -> None:
    try:
        require_right_secret(lambda: sealed, settings)
    except SecretWrong:
        earlier = earlier_secret(sealed, settings)
        which = f"the one in {earlier}" if earlier else "the one of that time"
        message = (
            f"the secret does not open {file}: it was made under another one, as before `reviewinvite secret rotate`; "
            f"give {which} as secret_file (see docs/operating.md)"
        )
        raise SecretWrong(message) from None


def _path_of(settings: Settings) -> Path:
    """The SQLite file.

    Raises: `ConfigurationError` if the database is none.
    """
    if settings.database_url == "memory:":
        raise ConfigurationError("memory: ends with its process: there is nothing to back up or restore")
    if is_postgres(settings.database_url):
        raise ConfigurationError(
            "PostgreSQL has its own tools: use pg_dump and pg_restore, or a base backup (see docs/operating.md), and "
            "`reviewinvite db reconcile` after a restore"
        )
    return sqlite_path(settings.database_url)


def _silent(_: int, __: int) -> None:
    """Nobody looks on."""
