"""Detect a stale write-ahead log: a killed process left it behind, and it may now lie beside a different database.

SQLite takes the log for the newest state of whatever database it lies beside, because the log's checksums and salts
cover only the log. If a backup was copied over the database but the log stayed, the database gets some pages of the
later state, including the fence number: it is then damaged, and does not look like an older copy. ADR-21.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from reviewinvite_core.adapters.sql.sqlite.damage import first_damage
from reviewinvite_core.domain.errors import ConfigurationError

_LOCKS = Path("/proc/locks")
_OPEN = "128 128"  # the byte of FILE-shm that every process with the database open keeps locked
_HEADER = 100  # bytes
_WRITES = 18  # the byte with the file's write version
_LOGGED = 2


@contextmanager
def check_stale_wal(path: Path) -> Iterator[None]:
    """Check the database before the block if its last users were killed; others that open it wait for the check.

    If others have it open, they have already checked. The check's connection is not closed normally: that would empty
    the log, and with it the evidence of the damage.

    Raises: `ConfigurationError` if the database is damaged.
    """
    if not _log_size(path):
        yield
        return
    descriptor = _open_for_good(path, *_identity(path))
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # independent of SQLite's kind of locks
    try:
        if _log_size(path) and not _is_open(path):
            _require_sound(path, descriptor)
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _log_size(path: Path) -> int:
    try:
        return path.with_name(path.name + "-wal").stat().st_size
    except OSError:
        return 0


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


@cache
def _open_for_good(path: Path, _device: int, _inode: int) -> int:
    """Return a descriptor that is never closed, since closing one releases all of this process's locks on the file."""
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _is_open(path: Path) -> bool:
    """Return whether a process visibly has the database open; False if that cannot be determined."""
    try:
        status = path.with_name(path.name + "-shm").stat()
        locks = _LOCKS.read_text()
    except OSError:
        return False
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino} {_OPEN}"
    return any(line.endswith(file) for line in locks.splitlines())


def _require_sound(path: Path, descriptor: int) -> None:
    header = os.pread(descriptor, _HEADER, 0)
    if len(header) < _HEADER:
        return  # not a database: opening it says so
    from reviewinvite_core.adapters.loggers import get_logger

    log = get_logger("reviewinvite.storage")
    log.warning("the last process to use the database was killed: checking it, which may take a while")
    if header[_WRITES] != _LOGGED:
        raise _damaged(path, "it was written without a log, like a backup")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            damage = first_damage(connection)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        damage = str(error)
    if damage:
        raise _damaged(path, damage)


def _damaged(path: Path, what: str) -> ConfigurationError:
    message = (
        f"the database is damaged ({' '.join(what.split())}): if a backup was copied over it while {path.name}-wal was "
        f"left, that log belongs to another file; restore the backup with `reviewinvite db restore`"
    )
    return ConfigurationError(message)
