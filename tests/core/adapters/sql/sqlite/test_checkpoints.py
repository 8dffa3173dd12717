"""The write-ahead log is copied into the file in the background, and does not grow. ADR-51."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.core.adapters.sql.raw import ask

from reviewinvite_core.adapters.sql.sqlite.checkpoints import UNCOPIED, Checkpointer
from reviewinvite_core.adapters.sql.sqlite.maintenance import has_reset_bug
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.errors import StorageUnavailable

MINUTES = 300.0


class _Writer:
    """A connection that writes rows, and tells a checkpointer of each commit."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA wal_autocheckpoint = 0")
        self.connection.execute("CREATE TABLE IF NOT EXISTS rows (text)")

    def commit(self, checkpointer: Checkpointer, rows: int) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT INTO rows VALUES (?)", [("x" * 1000,)] * rows)
        self.connection.execute("COMMIT")
        checkpointer.after_commit(self.connection)

    def write(self, checkpointer: Checkpointer, rows: int) -> None:
        """Commit, and wait until a thread that this has started is done."""
        self.commit(checkpointer, rows)
        checkpointer.wait(MINUTES)

    def log_frames(self) -> int:
        """Return how many frames the log holds that readers see; the file itself does not shrink."""
        written = self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1]
        return int(written)

    @property
    def log_bytes(self) -> int:
        return self.file.with_name(f"{self.file.name}-wal").stat().st_size


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[_Writer]:
    opened = _Writer(tmp_path / "some.db")
    with closing(opened.connection):
        yield opened


def checkpointer_of(writer: _Writer, changed_rows: int) -> Checkpointer:
    return Checkpointer(writer.file, lambda: sqlite3.connect(writer.file), changed_rows=changed_rows)


def test_the_log_does_not_grow(writer: _Writer) -> None:
    checkpointer = checkpointer_of(writer, changed_rows=100)
    for _ in range(100):
        writer.write(checkpointer, rows=20)
    assert writer.log_bytes < 500_000, "2,000 rows of 1 KB were written"


def test_what_a_reader_held_up_is_copied_after_the_next_commit(writer: _Writer) -> None:
    checkpointer = checkpointer_of(writer, changed_rows=100)
    writer.write(checkpointer, rows=1)  # copied, as by each new writer
    with closing(sqlite3.connect(writer.file, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM rows").fetchone()
        writer.write(checkpointer, rows=100)
        writer.write(checkpointer, rows=1)  # the writer copies, as far as the reader lets it
        assert rows_in_the_file(writer) == 1
    writer.write(checkpointer, rows=1)
    assert rows_in_the_file(writer) == 103


def test_writers_that_change_little_copy_what_others_have_left(writer: _Writer) -> None:
    for _ in range(20):  # `writer` stays open, or the last one to close would copy
        brief = _Writer(writer.file)
        with closing(brief.connection):
            brief.write(checkpointer_of(brief, changed_rows=100), rows=50)
    assert writer.log_bytes < 500_000, "1,000 rows of 1 KB were written"


def rows_in_the_file(writer: _Writer) -> int:
    with closing(sqlite3.connect(f"{writer.file.as_uri()}?immutable=1", uri=True)) as without_log:
        (count,) = without_log.execute("SELECT count(*) FROM rows").fetchone()
        return int(count)


def test_little_is_not_copied(writer: _Writer) -> None:
    checkpointer = checkpointer_of(writer, changed_rows=100)
    writer.write(checkpointer, rows=1)
    writer.write(checkpointer, rows=99)
    assert rows_in_the_file(writer) == 1
    writer.write(checkpointer, rows=1)
    assert rows_in_the_file(writer) == 101


def test_no_copy_begins_on_a_log_that_has_been_copied_completely(writer: _Writer) -> None:
    connected = 0

    def connect() -> sqlite3.Connection:
        nonlocal connected
        connected += 1
        return sqlite3.connect(writer.file)

    checkpointer = Checkpointer(writer.file, connect, changed_rows=10)
    begun = []
    for _ in range(6):  # each changes enough for a copy
        writer.write(checkpointer, rows=10)
        begun.append(connected)
    assert begun == [0, 1, 1, 2, 2, 3], "after the writer's own copy, another commit comes first"


def test_each_copy_begins_with_a_page_that_nobody_has_copied(writer: _Writer) -> None:
    """Before SQLite 3.51.3, a copy of a log that is copied completely may lose what another process commits."""
    seen: list[str] = []

    def connect() -> sqlite3.Connection:
        made = sqlite3.connect(writer.file)
        made.set_trace_callback(seen.append)
        return made

    writer.connection.set_trace_callback(seen.append)
    checkpointer = Checkpointer(writer.file, connect, changed_rows=10)
    for _ in range(6):
        writer.write(checkpointer, rows=10)
        with closing(sqlite3.connect(writer.file)) as other:  # as if another process copied all of it meanwhile
            other.execute("PRAGMA wal_checkpoint(PASSIVE)")
    begun = [at for at, statement in enumerate(seen) if "wal_checkpoint" in statement]
    assert len(begun) == 6
    assert {seen[at - 1] for at in begun} == {UNCOPIED}


def test_the_page_is_written_though_nothing_changes(writer: _Writer) -> None:
    for _ in range(3):
        writer.connection.execute(UNCOPIED)
        _, written, copied = writer.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        assert written == copied > 0
        assert writer.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone() == (0, written, copied)
        writer.connection.execute(UNCOPIED)  # starts the log again
        assert writer.log_frames() == 1


@contextmanager
def turn_of_another_process(file: Path) -> Iterator[None]:
    program = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        assert other.stdout.readline()
        try:
            yield
        finally:
            other.communicate("\n")


def test_no_copy_begins_out_of_turn(writer: _Writer) -> None:
    checkpointer = checkpointer_of(writer, changed_rows=10)
    writer.write(checkpointer, rows=10)
    with turn_of_another_process(writer.file):
        for _ in range(3):
            writer.write(checkpointer, rows=10)
        assert rows_in_the_file(writer) == 10
    writer.write(checkpointer, rows=10)
    assert rows_in_the_file(writer) == 50


def test_the_log_is_emptied_in_turn_only(tmp_path: Path) -> None:
    file = tmp_path / "some.db"
    storage = SqliteStorage(file, busy_seconds=0.01)
    with turn_of_another_process(file), pytest.raises(StorageUnavailable, match="another process is busy"):
        storage.forget_old_ring()
    storage.forget_old_ring()
    storage.close()


@pytest.mark.parametrize(
    ("version", "is_unsound"),
    [
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((4, 0, 0), False),
    ],
)
def test_the_versions_with_the_reset_bug_are_known(version: tuple[int, int, int], is_unsound: bool) -> None:
    assert has_reset_bug(version) == is_unsound


def test_nothing_else_begins_while_the_thread_copies(writer: _Writer) -> None:
    connecting = 0
    go_on = threading.Event()

    def connect() -> sqlite3.Connection:
        nonlocal connecting
        connecting += 1
        go_on.wait()
        return sqlite3.connect(writer.file)

    checkpointer = Checkpointer(writer.file, connect, changed_rows=10)
    for _ in range(4):
        writer.commit(checkpointer, rows=10)
    go_on.set()
    checkpointer.wait(MINUTES)
    assert connecting == 1


@pytest.mark.parametrize("fault", [StorageUnavailable("the disk is away"), sqlite3.OperationalError("disk I/O error")])
def test_the_writer_copies_what_the_thread_cannot(writer: _Writer, fault: Exception) -> None:
    def fail() -> sqlite3.Connection:
        raise fault

    checkpointer = Checkpointer(writer.file, fail, changed_rows=100)
    for _ in range(100):
        writer.write(checkpointer, rows=20)
    assert writer.connection.execute("SELECT count(*) FROM rows").fetchone() == (2_000,)
    assert writer.log_bytes < 500_000, "2,000 rows of 1 KB were written"


def test_the_writer_copies_if_no_thread_can_be_started(writer: _Writer) -> None:
    checkpointer = checkpointer_of(writer, changed_rows=100)
    usual = threading.stack_size(1 << 46)  # more than there is
    try:
        for _ in range(100):
            writer.write(checkpointer, rows=20)
    finally:
        threading.stack_size(usual)
    assert writer.log_bytes < 500_000, "2,000 rows of 1 KB were written"


def test_the_writer_of_the_storage_copies_nothing_within_a_commit(tmp_path: Path) -> None:
    storage = SqliteStorage(tmp_path / "some.db")
    assert storage.run(lambda store: ask(store, "PRAGMA wal_autocheckpoint")) == 0
    storage.close()


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
