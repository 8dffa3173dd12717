"""The trial's own database: a SQLite file, or a database on a PostgreSQL server."""

from __future__ import annotations

import os
import resource
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reviewinvite_core import Settings
from reviewinvite_core.admin import backup_database, restore_database

if TYPE_CHECKING:
    from reviewinvite_cli.prove.janitor import Janitor

_MARK_BYTES = 128 * 1024  # it has this size from the start, and a full disk does not hinder writing over it
_SECRET_BYTES = 24


class Database(ABC):
    """A database that can be copied, and replaced by the older copy."""

    url: str
    engine: str
    secret: str | None = None
    why_not_restored: str | None = None
    """Why no backup can be restored here, or None if one can."""
    why_not_filled: str | None = None
    copied_while_running = True

    @abstractmethod
    def back_up(self, settings: Settings) -> None:
        """Make the copy; if not `copied_while_running`, the service has been stopped before."""

    @abstractmethod
    def restore(self, settings: Settings) -> None:
        """Put the copy in the place of the database; the service has been stopped before."""

    def fill_disk(self, process_ids: Sequence[int]) -> None:
        """Let all that these processes write fail as on a full disk; only if `why_not_filled` is None."""
        raise NotImplementedError

    def free_disk(self, process_ids: Sequence[int]) -> None:
        """End what `fill_disk` began."""
        raise NotImplementedError


class SqliteDatabase(Database):
    """A file in the trial's folder. Implements `Database`."""

    engine = "SQLite"

    def __init__(self, folder: Path) -> None:
        self._file = folder / "prove.db"
        self._copy = folder / "backup.db"
        self.url = f"sqlite:///{self._file}"
        if not hasattr(resource, "prlimit"):
            self.why_not_filled = "this system cannot limit the file size of a running process"

    def back_up(self, settings: Settings) -> None:
        backup_database(settings, self._copy)

    def restore(self, settings: Settings) -> None:
        restore_database(settings, self._copy)

    def fill_disk(self, process_ids: Sequence[int]) -> None:
        log = Path(f"{self._file}-wal")
        full = max(_MARK_BYTES, log.stat().st_size if log.exists() else 0)
        self._limit(process_ids, full)

    def free_disk(self, process_ids: Sequence[int]) -> None:
        self._limit(process_ids, resource.RLIM_INFINITY)

    def _limit(self, process_ids: Sequence[int], size: int) -> None:
        for process_id in process_ids:
            try:
                _, hard = resource.prlimit(process_id, resource.RLIMIT_FSIZE)
                soft = hard if size == resource.RLIM_INFINITY else size
                resource.prlimit(process_id, resource.RLIMIT_FSIZE, (soft, hard))
            except ProcessLookupError:  # it has ended
                continue


class PostgresDatabase(Database):
    """A database on the operator's server. Implements `Database`."""

    engine = "PostgreSQL"
    why_not_filled = "the disk belongs to the PostgreSQL server"
    copied_while_running = False  # the server copies a database that nobody is connected to

    def __init__(self, janitor: Janitor, *, server_url: str | None = None, empty_url: str | None = None) -> None:
        """Create a database on a server, or take one that must be empty.

        Raises: `ConfigurationError`.
        """
        from reviewinvite_cli.prove import postgres

        self.secret = os.urandom(_SECRET_BYTES).hex()
        self._server_url = server_url or ""
        if empty_url:
            postgres.require_empty(empty_url)
            janitor.empty_database(empty_url)
            self.url = empty_url
            self.why_not_restored = "the database of --database-url cannot be copied without the right to create others"
            return
        self._name = f"reviewinvite_prove_{os.getpid()}_{os.urandom(3).hex()}"
        self._copy = f"{self._name}_copy"
        for name in (self._name, self._copy):
            janitor.drop_database(self._server_url, name)
        postgres.create(self._server_url, self._name)
        self.url = postgres.with_name(self._server_url, self._name)

    def back_up(self, settings: Settings) -> None:  # noqa: ARG002 - the port's
        from reviewinvite_cli.prove import postgres

        postgres.create(self._server_url, self._copy, like=self._name)

    def restore(self, settings: Settings) -> None:  # noqa: ARG002 - the port's
        from reviewinvite_cli.prove import postgres

        postgres.drop(self._server_url, self._name)
        postgres.create(self._server_url, self._name, like=self._copy)
