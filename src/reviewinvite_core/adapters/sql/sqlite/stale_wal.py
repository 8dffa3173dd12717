"""A write-ahead log that nobody is at: left by a kill, and perhaps beside another file than the one it is of.

SQLite takes what is in the log for the newest state of whatever file lies beside it: its checksums and salts are of
the log alone. A backup that was copied over the database while the log was left gets some pages of the later state,
the hand-over number among them: it is damaged, and would not look like an older copy. ADR-21.
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
_OPEN = "128 128"  # the byte of FILE-shm on which everybody who has the database open keeps a lock
_HEADER = 100  # bytes
_WRITES = 18  # the byte that tells how the file is written to
_LOGGED = 2


@contextmanager
def check_stale_wal(path: Path) -> Iterator[None]:
    """Inside, the database is sound if its last users were killed; who comes meanwhile waits for the end of the look.

    Where others have it open, they have looked. It is not closed as others are: that would empty the log, and with it
    all that tells of the damage.

    Raises: `ConfigurationError` if the database is damaged.
    """
    if not _log_size(path):
        yield
        return
    descriptor = _open_for_good(path, *_identity(path))
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # not of the kind that SQLite's are, which it leaves alone
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
    """A descriptor that is never closed: closing one lets go of all locks that this process holds on the file."""
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _is_open(path: Path) -> bool:
    """Whether a process is seen to have the database open. Where that cannot be seen, none is."""
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
        return  # no database: who opens it says so
    from reviewinvite_core.adapters.loggers import get_logger

    log = get_logger("reviewinvite.storage")
    log.warning("the last user of the database was killed: checking it, which may take a while")
    if header[_WRITES] != _LOGGED:
        raise _damaged(path, "it was written without a log, as backups are")
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
        f"left, that log is of another file; put the backup in its place with `reviewinvite db restore`"
    )
    return ConfigurationError(message)
