"""Back up the database of an installation, and restore it: the two commands that need more than storage's own words.

On PostgreSQL its own tools do both (docs/operating.md).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.parts import is_postgres, open_sealed_ring, sqlite_path
from reviewinvite_core.settings import Settings


def backup_database(settings: Settings, file: Path, *, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy the database, as it is at one instant, to a new file; others may use it meanwhile. ADR-18.

    The secret is not in it. `progress` is told how many pages are done, and of how many.

    Raises: `FileExistsError` where there is such a file; `ConfigurationError`, `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.sql.sqlite_backup import back_up

    back_up(_path_of(settings), file, progress or _silent)


def restore_database(
    settings: Settings, file: Path, *, progress: Callable[[int, int], None] | None = None
) -> Path | None:
    """Put a backup in the place of the database; where what was there is kept, if something was. ADR-18.

    A kill at any instant leaves the one database or the other, whole.

    Raises: `DatabaseInUse` where a process has the database open; `ConfigurationError` where the backup will not do,
    or the secret does not open it; `FileExistsError`, `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.sql.sqlite_backup import restore
    from reviewinvite_core.adapters.system import SystemClock

    path = _path_of(settings)
    replaced = path.with_name(f"{path.name}.before-restore-{SystemClock().now():%Y%m%dT%H%M%SZ}")
    had_one = restore(
        path,
        file,
        replaced=replaced,
        accepts=lambda sealed: open_sealed_ring(sealed, settings),
        progress=progress or _silent,
    )
    return replaced if had_one else None


def _path_of(settings: Settings) -> Path:
    """The SQLite file.

    Raises: `ConfigurationError` where the database is none.
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
