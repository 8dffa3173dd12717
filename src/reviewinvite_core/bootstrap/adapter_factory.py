"""Open the adapters that settings name, for `compose`.

Adapters are imported where they are chosen, so that `import reviewinvite_core` stays fast.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reviewinvite_core.adapters.job_log import JobLog
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.ports import Entropy, Storage

if TYPE_CHECKING:
    from reviewinvite_core.adapters.high_water_mark.file import HighWaterMarkFile


def open_storage(database_url: str, *, create: bool = True, wait: bool = True) -> Storage:
    """Open the storage at a URL: `sqlite:///relative`, `sqlite:////absolute`, `postgresql://...` or `memory:`.

    A new or empty database is set up if `create`. Unless `wait`, a server that does not answer now is not waited for.

    Raises: `DatabaseMissing`; `ConfigurationError`, `StorageUnavailable`.
    """
    if database_url == "memory:":
        from reviewinvite_core.adapters.memory.storage import MemoryStorage

        return MemoryStorage()
    if is_postgres(database_url):
        require_driver()
        from reviewinvite_core.adapters.sql.postgres.connect import WAIT_SECONDS
        from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage

        return PostgresStorage(database_url, create=create, wait_seconds=WAIT_SECONDS if wait else 0.0)
    from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage

    return SqliteStorage(sqlite_path(database_url), create=create)


def require_driver() -> None:
    """Raise unless the PostgreSQL driver, an optional dependency, is installed.

    Raises: `ConfigurationError`.
    """
    try:
        import psycopg_pool  # noqa: F401 - it brings psycopg, and psycopg the C library
    except ImportError:
        raise ConfigurationError("PostgreSQL needs a driver: install reviewinvite[postgres]") from None


def is_postgres(database_url: str) -> bool:
    return database_url.startswith(("postgresql://", "postgres://"))


def sqlite_path(database_url: str) -> Path:
    """Return the file that a `sqlite:///` URL names.

    Raises: `ConfigurationError` for any other URL.
    """
    scheme, separator, path = database_url.partition(":///")
    if scheme != "sqlite" or not separator or not path:
        raise ConfigurationError("database_url must be sqlite:///FILE, postgresql://... or memory:")
    return Path(path)


def open_high_water_mark(settings: Settings, entropy: Entropy) -> HighWaterMarkFile | None:
    """Return the high-water mark of this host, or None for storage that does not outlive the process.

    This does not create the file, which may be absent.
    """
    path = settings.handover_mark or default_high_water_mark_path(settings.database_url)
    if path is None:
        return None
    from reviewinvite_core.adapters.high_water_mark.file import HighWaterMarkFile

    return HighWaterMarkFile(path, entropy)


def default_high_water_mark_path(database_url: str) -> Path | None:
    """Return the file of the mark if the setting does not name one; None for storage in memory.

    Raises: `ConfigurationError`.
    """
    if database_url == "memory:":
        return None
    if is_postgres(database_url):
        return Path("reviewinvite.mark")
    database = sqlite_path(database_url)
    return database.with_name(database.name + ".mark")


def require_database_file(settings: Settings) -> None:
    """Raise if there is no file of the SQLite database; other databases are not looked at.

    Raises: `DatabaseMissing`.
    """
    if settings.database_url.startswith("sqlite:"):
        from reviewinvite_core.adapters.sql.sqlite.file import require_database

        require_database(sqlite_path(settings.database_url))


def open_job_log(settings: Settings) -> JobLog:
    """Return the files in which backups and purges report.

    Raises: `ConfigurationError`.
    """
    from reviewinvite_core.adapters.system import SystemClock

    return JobLog(settings.state_file or default_state_path(settings.database_url), SystemClock())


def default_state_path(database_url: str) -> Path | None:
    """Return where backups and purges report unless STATE_FILE says so; None for storage in memory."""
    if database_url == "memory:":
        return None
    if is_postgres(database_url):
        return Path("reviewinvite.state")
    database = sqlite_path(database_url)
    return database.with_name(database.name + ".state")


def machine_time() -> datetime:
    """Return this machine's time in UTC, for callers that verify without an application."""
    from reviewinvite_core.adapters.system import SystemClock

    return SystemClock().now()
