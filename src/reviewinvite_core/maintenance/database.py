"""Operations on the whole database of an installation: migrate, check, copy, back up, restore.

Adapters are imported where they are chosen, so that `import reviewinvite_core` stays fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain, count
from pathlib import Path

import attrs

from reviewinvite_core.adapters.files import os_error_text
from reviewinvite_core.adapters.sql.copy.copy import CopyReport, Progress, copy
from reviewinvite_core.adapters.sql.copy.endpoint import CopyEndpoint
from reviewinvite_core.adapters.sql.integrity import DatabaseStatistics
from reviewinvite_core.adapters.sql.schema import no_database
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
    require_secret_for_new,
    require_shared_secret,
)
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import ConfigurationError, DatabaseDamaged, SecretWrong
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.ports import HighWaterMarkStore, Storage
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, find_pause
from reviewinvite_core.usecases.invitations.change import miscounted_invitations
from reviewinvite_core.usecases.reviews.change import miscounted

_SHOPS_WITHOUT_RING = "there are shops, but no key ring: restore a backup"
_NO_RING = "there is no key ring yet: start `reviewinvite serve`, which makes one and seals it under the secret"


@attrs.frozen(kw_only=True)
class Restored:
    """Result of a restore: the file that keeps the replaced database, if any, and how many decisions were carried over.

    If none could be carried over, `not_carried_as` says why.
    """

    replaced: Path | None = None
    carried: Mapping[str, int] | None = None
    not_carried_as: str | None = None


def migrate_database(settings: Settings) -> Sequence[str]:
    """Migrate the database to this release's schema, creating it if needed; return the applied migrations.

    Raises: `SecretMissing`, `SecretWrong`, with nothing applied; `ConfigurationError`, `StorageUnavailable`.
    """
    url = settings.database_url
    if url == "memory:":
        return []
    require_shared_secret(settings)
    require_secret_for_new(settings)

    def try_ring(sealed: bytes | None) -> None:
        require_right_secret(lambda: sealed, settings)

    if is_postgres(url):
        require_driver()
        from reviewinvite_core.adapters.sql.postgres import migrate as postgres_migrate

        return postgres_migrate.migrate(url, try_ring=try_ring)
    from reviewinvite_core.adapters.sql.sqlite import migrate as sqlite_migrate

    return sqlite_migrate.migrate(sqlite_path(url), try_ring=try_ring)


def check_database(settings: Settings) -> Sequence[str]:
    """Return the problems of the database as sentences; empty if it is sound and not an older copy.

    Nothing is created: no database, no secret and no mark.

    Raises: `DatabaseMissing`; `ConfigurationError`, `StorageUnavailable`.
    """
    require_shared_secret(settings)
    try:
        storage = open_storage(settings.database_url, create=False)
        try:
            return _problems(storage, settings)
        finally:
            storage.close()
    except DatabaseDamaged as damaged:
        from reviewinvite_core.adapters.sql.sqlite import maintenance

        return maintenance.damage_of(sqlite_path(settings.database_url)) or [str(damaged)]


def _problems(storage: Storage, settings: Settings) -> Sequence[str]:
    from reviewinvite_core.adapters.system import SystemEntropy

    require_right_secret(lambda: storage.read(lambda store: store.sealed_key_ring()), settings)
    problems = storage.problems() or [*storage.read(miscounted), *storage.read(miscounted_invitations)]
    if problems:
        return problems
    if storage.read(lambda store: store.sealed_key_ring()) is None:
        is_used = storage.read(lambda store: bool(store.shops.every()))
        return [_SHOPS_WITHOUT_RING if is_used else _NO_RING]
    entropy = SystemEntropy()
    high_water_mark = open_high_water_mark(settings, entropy)
    open_key_ring(storage, settings, entropy, high_water_mark)
    return _what_pauses(storage, high_water_mark)


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


def change_mark_format(settings: Settings, *, back: bool) -> bool | None:
    """Make this host's hand-over mark one of this release, or with `back` of the last release; return whether it was.

    Return None if this host has no mark. The database is not opened, so its schema does not matter. ADR-71.

    Raises: `DatabaseMissing` if a SQLite database does not exist; `ConfigurationError`.
    """
    from reviewinvite_core.adapters.system import SystemEntropy

    mark = open_high_water_mark(settings, SystemEntropy())
    if mark is None:
        raise ConfigurationError("a database in memory has no hand-over mark")
    if not is_postgres(settings.database_url) and not (path := sqlite_path(settings.database_url)).exists():
        raise no_database(f"there is no database at {path}")
    try:
        return mark.prepare_rollback() if back else mark.finish_upgrade()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"the hand-over mark cannot be changed: {os_error_text(error)}") from error


def database_statistics(settings: Settings) -> DatabaseStatistics:
    """Return the number of rows of each table, and the size of the database in bytes.

    Raises: `ConfigurationError` for storage in memory; `StorageUnavailable`.
    """
    url = settings.database_url
    if url == "memory:":
        raise ConfigurationError("a database in memory has no statistics")
    if is_postgres(url):
        require_driver()
        from reviewinvite_core.adapters.sql.postgres import integrity

        return integrity.statistics(url)
    from reviewinvite_core.adapters.sql.sqlite import maintenance

    return maintenance.statistics(sqlite_path(url))


def copy_database(source_url: str, target_url: str, *, progress: Progress | None = None) -> CopyReport:
    """Copy all data of one SQL database into another and compare every row; the secret stays the same.

    It is safe to run again after an interruption, or while another run is active; the older run then ends. Nobody can
    write to the source meanwhile. `progress` receives how many rows are done, and how many there are.

    Raises: `ConfigurationError` if the target is the source or holds other data; `CopyTakenOver` if a later run
    replaces this one; `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.system import SystemEntropy

    run = SystemEntropy().draw(16).hex()
    with _end(source_url, as_target=False) as source, _end(target_url, as_target=True) as target:
        return copy(source, target, run, progress or (lambda _, __: None))


def _end(database_url: str, *, as_target: bool) -> AbstractContextManager[CopyEndpoint]:
    if database_url == "memory:":
        raise ConfigurationError(
            "a database in memory cannot be copied; FROM and TO must be sqlite:///FILE or postgresql://..."
        )
    if is_postgres(database_url):
        require_driver()
        from reviewinvite_core.adapters.sql.copy import postgres_endpoint

        return postgres_endpoint.opened(database_url)
    from reviewinvite_core.adapters.sql.copy import sqlite_endpoint

    return sqlite_endpoint.opened(sqlite_path(database_url), as_target=as_target)


def backup_database(settings: Settings, file: Path, *, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy a consistent snapshot of the database to a new file; others may use the database meanwhile. ADR-21.

    The backup does not contain the secret. `progress` receives how many pages are done, and how many there are.

    Raises: `FileExistsError` if the file exists; `ConfigurationError`, `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.sql.sqlite.backup import back_up, unheard

    back_up(_path_of(settings), file, progress or unheard)


def restore_database(settings: Settings, file: Path, *, progress: Callable[[int, int], None] | None = None) -> Restored:
    """Replace the database with a backup, and carry over the decisions that people made after the backup. ADR-21.

    If the process is killed at any instant, one of the two databases is in place and complete.

    Raises: `DatabaseInUse` if a process has the database open; `ConfigurationError` if the backup is unusable or the
    secret does not open it; `FileExistsError`, `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.sql.sqlite.backup import restore, unheard

    path = _path_of(settings)
    replaced = _secret_hint(path)
    carried = restore(
        path,
        file,
        replaced=replaced,
        accepts=lambda sealed: _require_secret_of_backup(sealed, file, settings),
        progress=progress or unheard,
    )
    if carried is None:
        return Restored()
    if isinstance(carried, str):
        return Restored(replaced=replaced, not_carried_as=carried)
    return Restored(replaced=replaced, carried=attrs.asdict(carried))


def _secret_hint(path: Path) -> Path:
    """Return an unused path beside the database, under which the replaced database will be kept."""
    from reviewinvite_core.adapters.system import SystemClock

    stem = f"{path.name}.before-restore-{SystemClock().now():%Y%m%dT%H%M%SZ}"
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(file for file in map(path.with_name, names) if not file.exists())


def _require_secret_of_backup(sealed: bytes, file: Path, settings: Settings) -> None:
    try:
        require_right_secret(lambda: sealed, settings)
    except SecretWrong:
        earlier = earlier_secret(sealed, settings)
        which = earlier or "that secret"
        message = (
            f"wrong secret for {file}: it was backed up under another secret. Set secret_file to {which} "
            "(see docs/how-to/rotate-the-secret.md)"
        )
        raise SecretWrong(message) from None


def _path_of(settings: Settings) -> Path:
    """Return the file of the SQLite database.

    Raises: `ConfigurationError` for other databases.
    """
    if settings.database_url == "memory:":
        raise ConfigurationError("a database in memory cannot be backed up or restored")
    if is_postgres(settings.database_url):
        raise ConfigurationError(
            "PostgreSQL has its own tools: use pg_dump and pg_restore, or a base backup, and after a restore "
            "`reviewinvite db reconcile` (see docs/how-to/back-up-and-restore.md)"
        )
    return sqlite_path(settings.database_url)
