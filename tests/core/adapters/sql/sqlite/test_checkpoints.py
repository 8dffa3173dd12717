"""The write-ahead log is copied into the file in the background, and does not grow. ADR-51."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewinvite_core.adapters.sql.sqlite.checkpoints import Checkpointer
from reviewinvite_core.domain.errors import StorageUnavailable

MINUTES = 300.0


class _Writer:
    """A connection that writes rows, and tells a checkpointer of each commit."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "CREATE TABLE rows (text)"):
            self.connection.execute(statement)

    def write(self, checkpointer: Checkpointer, rows: int) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT INTO rows VALUES (?)", [("x" * 1000,)] * rows)
        self.connection.execute("COMMIT")
        checkpointer.after_commit(self.connection)
        checkpointer.wait(MINUTES)

    @property
    def log_bytes(self) -> int:
        return self.file.with_name(f"{self.file.name}-wal").stat().st_size


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[_Writer]:
    opened = _Writer(tmp_path / "some.db")
    with closing(opened.connection):
        yield opened


def checkpointer_of(writer: _Writer, changed_rows: int) -> Checkpointer:
    return Checkpointer(lambda: sqlite3.connect(writer.file), changed_rows=changed_rows)


def test_the_log_does_not_grow(writer: _Writer) -> None:
    checkpointer = checkpointer_of(writer, changed_rows=100)
    for _ in range(100):
        writer.write(checkpointer, rows=20)
    assert writer.log_bytes < 500_000, "2,000 rows of 1 KB were written"


def test_little_is_not_copied(writer: _Writer) -> None:
    checkpointer = checkpointer_of(writer, changed_rows=100)
    writer.write(checkpointer, rows=99)
    with closing(sqlite3.connect(f"{writer.file.as_uri()}?immutable=1", uri=True)) as without_log:
        assert without_log.execute("SELECT name FROM sqlite_master").fetchall() == []
    writer.write(checkpointer, rows=1)
    with closing(sqlite3.connect(f"{writer.file.as_uri()}?immutable=1", uri=True)) as without_log:
        assert without_log.execute("SELECT count(*) FROM rows").fetchone() == (100,)


def test_a_fault_while_copying_harms_nothing(writer: _Writer) -> None:
    def away() -> sqlite3.Connection:
        raise StorageUnavailable("the disk is away")

    checkpointer = Checkpointer(away, changed_rows=1)
    for _ in range(3):
        writer.write(checkpointer, rows=1)
    assert writer.connection.execute("SELECT count(*) FROM rows").fetchone() == (3,)


class _WithoutCheckpoints(sqlite3.Connection):
    def execute(self, statement: str, *args: object) -> sqlite3.Cursor:
        if "wal_checkpoint" in statement:
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(statement, *args)  # type: ignore[arg-type]


def test_a_commit_succeeds_even_if_the_end_of_the_log_cannot_be_copied(writer: _Writer) -> None:
    checkpointer = checkpointer_of(writer, changed_rows=1)
    writer.write(checkpointer, rows=1)
    with closing(sqlite3.connect(writer.file, factory=_WithoutCheckpoints)) as failing:
        checkpointer.after_commit(failing)
    writer.write(checkpointer, rows=1)
    assert writer.connection.execute("SELECT count(*) FROM rows").fetchone() == (2,)
