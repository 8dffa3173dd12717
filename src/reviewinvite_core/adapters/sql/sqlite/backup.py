"""Back up a SQLite file in use, and restore a backup. ADR-21.

A restore writes into the existing file in one SQLite transaction. If it is killed, the database is either as before or
fully restored, and no process is left with a deleted file.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from reviewinvite_core.adapters.files import fsync_path
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.schema import check_schema
from reviewinvite_core.adapters.sql.sqlite import file as sqlite_file
from reviewinvite_core.adapters.sql.sqlite.carry_over import Decisions, carry_over, delete_void, staged_copy
from reviewinvite_core.adapters.sql.sqlite.damage import first_damage
from reviewinvite_core.adapters.sql.sqlite.stale_wal import check_stale_wal
from reviewinvite_core.domain.errors import DAMAGE_REMEDY, ConfigurationError, DatabaseInUse

PAGES_AT_ONCE = 256
_KEY_RING = "SELECT sealed FROM key_ring"

Progress: TypeAlias = Callable[[int, int], None]
"""Callback with the number of pages done and their total."""


def back_up(path: Path, file: Path, progress: Progress) -> None:
    """Copy a snapshot of the database to a new file that only its owner can read.

    The file appears complete and durable, or not at all. Others can read and write meanwhile.

    Raises: `FileExistsError`; `DatabaseMissing`; `ConfigurationError` if the database is another program's or damaged;
    `StorageUnavailable`.
    """
    with sqlite_file.faults_of_opening(path):
        sqlite_file.require_database(path)
        with check_stale_wal(path):
            opened = _opened(path)
        with closing(opened) as source, _snapshot(source):
            _require_ours(source, path)
            _copy_to(source, file, progress, checked_as=path)


def restore(
    path: Path, file: Path, *, replaced: Path, accepts: Callable[[bytes], object], progress: Progress
) -> Decisions | str | None:
    """Replace the database with the backup in `file`, after saving the database as `replaced` if there is one.

    Decisions made since the backup are carried over. Return the numbers of these decisions, or why none could be
    carried over; None if there was no database. Sessions, sign-in links and messages are void in any case. `accepts`
    gets the sealed key ring in the backup, and raises to refuse it. Nothing is touched before the whole backup has been
    checked.

    Raises: `DatabaseInUse` if any process has the database open; `ConfigurationError` if one of the two is not a
    reviewinvite database, or the backup is damaged; `OSError` if `file` does not exist, or `replaced` does; what
    `accepts` raises; `StorageUnavailable`.
    """
    with sqlite_file.faults_as_unavailable():
        backup = file.stat()
        with closing(_opened(file)) as source, _snapshot(source):
            _require_ours(source, file)
            accepts(_sealed_ring(source, file))
            _require_sound(source, file)
            sqlite_file.create(path)
            if (backup.st_dev, backup.st_ino) == sqlite_file.file_at(path):
                raise ConfigurationError("this file is the database itself")
            with sqlite_file.faults_of_opening(path), _damage_explained(path), closing(_alone(path)) as target:
                is_new = _is_empty(target)
                if not is_new:
                    _copy_to(target, replaced, unheard)
                room = path.with_name(replaced.name + ".partial")
                with staged_copy(room, lambda to: _copy(source, to, unheard)) as staged:
                    delete_void(staged)
                    carried = None if is_new else carry_over(staged, replaced)
                    _copy(staged, target, progress)
    return carried


def _alone(path: Path) -> sqlite3.Connection:
    """Return a connection that excludes all other connections to the database, in any process.

    Every user of a database with a write-ahead log holds a shared lock on it from the first read until the connection
    is closed. So the exclusive lock that is taken and kept here is only available if there is no other user.
    """
    deadline = time.monotonic() + sqlite_file.BUSY_SECONDS
    connection = _opened(path, busy_seconds=0, to_write=True)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        while True:
            try:
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("COMMIT")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                    raise
                if time.monotonic() > deadline:
                    message = f"{path} is open in another process: stop every serve and worker first"
                    raise DatabaseInUse(message) from error
                time.sleep(0.05)
            else:
                return connection
    except BaseException:
        connection.close()
        raise


def _opened(
    path: Path, *, busy_seconds: float = sqlite_file.BUSY_SECONDS, to_write: bool = False
) -> sqlite3.Connection:
    """Connect to a file whose size is that of a database; read-only if the file is read-only, or its disk is full.

    Raises: `ConfigurationError`.
    """
    if path.is_dir() or 0 < path.stat().st_size < sqlite_file.SMALLEST_PAGE:
        raise _no_database(path)
    with _damage_explained(path):
        if to_write:
            return sqlite_file.connect(path, busy_seconds)
        return sqlite_file.connect_to_read(path, busy_seconds)[0]


@contextmanager
def _snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold a snapshot in the block, so that writes by others do not restart a copy."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    """Raise unless it is a database of this release or of an older one.

    Raises: `ConfigurationError`.
    """
    with _damage_explained(path):
        applied = sqlite_file.applied(connection)
    if not applied:
        message = f"{path} is empty"
        raise ConfigurationError(message)
    check_schema(applied, MIGRATIONS, older_will_do=True)


def _is_empty(connection: sqlite3.Connection) -> bool:
    """Return whether the file holds no database yet. A damaged or newer database counts as one: a restore replaces it.

    Raises: `ConfigurationError` if it is another program's.
    """
    try:
        return not sqlite_file.applied(connection)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_CORRUPT:
            raise
        return False


def _sealed_ring(connection: sqlite3.Connection, file: Path) -> bytes:
    with _damage_explained(file):
        row = connection.execute(_KEY_RING).fetchone()
    if row is None:
        message = f"{file} holds no key ring: it is not a backup of an installation"
        raise ConfigurationError(message)
    return bytes(row[0])


def _require_sound(connection: sqlite3.Connection, file: Path) -> None:
    with _damage_explained(file):
        damage = first_damage(connection)
    if damage:
        raise _damaged(file, damage)


def _require_sound_copy(copy: sqlite3.Connection, file: Path, source: sqlite3.Connection, source_file: Path) -> None:
    try:
        _require_sound(copy, file)
    except ConfigurationError:
        _require_sound(source, source_file)  # nobody knows the copy by its temporary name
        raise


@contextmanager
def _damage_explained(path: Path) -> Iterator[None]:
    """Raise `ConfigurationError` for errors of a damaged file, because retrying does not help."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise _no_database(path) from None
        if error.sqlite_errorcode == sqlite3.SQLITE_CORRUPT:
            raise _damaged(path, str(error)) from None
        raise


def _no_database(path: Path) -> ConfigurationError:
    message = sqlite_file.not_a_database(path)
    return ConfigurationError(message)


def _damaged(path: Path, what: str) -> ConfigurationError:
    message = f"{path} is damaged ({' '.join(what.split())}): {DAMAGE_REMEDY}"
    return ConfigurationError(message)


def _copy_to(source: sqlite3.Connection, file: Path, progress: Progress, *, checked_as: Path | None = None) -> None:
    """Copy to a new file, which gets its name only when it is complete.

    Check the copy if `checked_as` is given; this is the file of the source, to be named if the damage is there already.
    """
    if file.exists():
        raise _taken(file)
    partial = file.with_name(file.name + ".partial")
    ours = not partial.exists()  # before creating it, so that an interrupt at that moment leaves no file behind
    try:
        try:
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600))
        except FileExistsError:
            ours = False
            raise
        except OSError as error:  # report the name that was asked for
            raise OSError(error.errno, error.strerror, str(file)) from error
        with closing(_opened(partial)) as target:
            target.execute("PRAGMA journal_mode = MEMORY")  # an incomplete copy is deleted, not rolled back
            _copy(source, target, progress)
            target.execute("PRAGMA journal_mode = DELETE")  # so that it is a single file
            if checked_as:
                _require_sound_copy(target, partial, source, checked_as)
        fsync_path(partial)
        _give_name(partial, file)
    finally:
        if ours:
            with suppress(FileNotFoundError):
                partial.unlink()
    fsync_path(file.parent)


def _give_name(partial: Path, file: Path) -> None:
    """Rename, but never replace a file that has appeared in the meantime."""
    try:
        os.link(partial, file)
    except FileExistsError:
        raise
    except OSError as error:  # the file system has no hard links
        if file.exists():
            raise _taken(file) from error
        partial.rename(file)


def _taken(file: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))


def unheard(_: int, __: int) -> None:
    """Do nothing: nobody asked for progress."""


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, progress: Progress) -> None:
    def tell(_: int, remaining: int, total: int) -> None:
        progress(total - remaining, total)

    source.backup(target, pages=PAGES_AT_ONCE, progress=tell, sleep=0)
