"""Storage in a SQLite file: the contract, and what files do to it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias, cast

import pytest
from tests import disks
from tests.budgets import in_full
from tests.builders import added, an_invitation, scheduled
from tests.contracts.storage import StorageContract
from tests.core.adapters.sql.raw import ask, execute
from tests.core.stored import site_ids
from tests.processes_at_once import run_at_once

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.schema import check_schema
from reviewinvite_core.adapters.sql.sqlite.migrate import migrate
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.errors import ConfigurationError, SchemaTooNew, SchemaTooOld, StorageUnavailable
from reviewinvite_core.ports import Done, Failed, Storage, Store
from reviewinvite_core.testing.builders import a_shop

Opener: TypeAlias = Callable[[Path], SqliteStorage]

IMPATIENT = 0.05


def fill_up(store: Store) -> None:
    """A database that may not grow, as on a full disk: SQLite rolls all of the transaction back by itself."""
    pages = ask(store, "PRAGMA page_count")
    ask(store, f"PRAGMA max_page_count = {pages}")
    store.keep_key_ring(bytes(1_000_000))


def open_files() -> list[str]:
    """What this process has open, deleted files too."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the directory itself, closed by now
            found.append(str(entry.readlink()))
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells which files a process has open")
def test_what_a_savepoint_would_bring_back_is_in_no_file_of_its_own(path: Path) -> None:
    """A hundred orders touch more pages than SQLite keeps in memory for that by itself."""
    storage = SqliteStorage(path)

    def write_over(store: Store) -> list[str]:
        store.keep_key_ring(b"x" * 1_000_000)
        return open_files()

    try:
        storage.run(lambda store: store.keep_key_ring(bytes(1_000_000)))
        (outcome,) = storage.run_all([write_over])
    finally:
        storage.close()
    assert isinstance(outcome, Done)
    named = {Path(name).name for name in cast("list[str]", outcome.result) if "/" in name}
    assert "test.db" in named
    assert not [name for name in named if name.startswith("etilqs")]


class TestSqliteStorage(StorageContract):
    @pytest.fixture
    def storage(self, path: Path) -> Iterator[Storage]:
        storage = SqliteStorage(path)
        yield storage
        storage.close()

    @pytest.fixture
    def lose_transaction(self) -> Callable[[Store], object]:
        return fill_up


@pytest.fixture
def path(sqlite_folder: Path) -> Path:
    return sqlite_folder / "test.db"


@pytest.fixture
def opened() -> Iterator[Opener]:
    """Opens storage that is closed in the end; it does not wait long for locks."""
    with contextlib.ExitStack() as stack:

        def open_storage(path: Path) -> SqliteStorage:
            storage = SqliteStorage(path, busy_seconds=IMPATIENT)
            stack.callback(storage.close)
            return storage

        yield open_storage


def assert_unavailable(storage: Storage) -> None:
    """Every way in says so, and nothing is half done."""
    with pytest.raises(StorageUnavailable):
        storage.run(lambda store: store.shops.add(a_shop("lost")))
    outcomes = storage.run_all([lambda store: store.shops.add(a_shop("lost"))] * 2)
    assert len(outcomes) == 2
    assert all(isinstance(outcome, Failed) and isinstance(outcome.error, StorageUnavailable) for outcome in outcomes)


# --- durability -------------------------------------------------------------------------------------------------


def test_the_writer_syncs_every_commit_to_a_write_ahead_log(path: Path, opened: Opener) -> None:
    storage = opened(path)

    def look(store: Store) -> tuple[object, ...]:
        return tuple(ask(store, f"PRAGMA {name}") for name in ("journal_mode", "synchronous", "foreign_keys"))

    full = 2
    assert storage.run(look) == ("wal", full, 1)
    assert storage.run_all([look]) == [Done(("wal", full, 1))]


def test_only_the_writer_keeps_many_pages_in_memory(opened: Opener, path: Path) -> None:
    storage = opened(path)

    def kibibytes(store: Store) -> int:
        return -int(ask(store, "PRAGMA cache_size"))

    assert storage.run(kibibytes) == 64_000
    assert storage.read(kibibytes) == 2_000


def test_nothing_is_visible_to_another_connection_before_the_commit(path: Path, opened: Opener) -> None:
    storage, other = opened(path), opened(path)

    def add_and_look(store: Store) -> list[str]:
        store.shops.add(a_shop("new"))
        return site_ids(other)

    assert storage.run(add_and_look) == []
    assert site_ids(other) == ["new"]


def test_a_reader_waits_for_no_writer(path: Path, opened: Opener) -> None:
    storage = opened(path)
    seen = storage.run(lambda store: (store.shops.add(a_shop("new")), site_ids(storage))[1])
    assert seen == []


def test_what_was_stored_is_there_after_reopening(path: Path, opened: Opener) -> None:
    first = opened(path)
    shop = added(first, a_shop())
    mine = scheduled(first, an_invitation(shop))
    first.close()
    assert opened(path).read(lambda store: store.invitations.find(shop.number, mine.invite_id)) == mine


def test_a_row_that_breaks_a_constraint_is_the_programs_fault_and_not_the_storages(path: Path, opened: Opener) -> None:
    storage = opened(path)
    with pytest.raises(sqlite3.IntegrityError):
        storage.run(lambda store: execute(store, "INSERT INTO orders (shop) VALUES (1)"))
    assert added(storage, a_shop()).number == 1


# --- setting up -------------------------------------------------------------------------------------------------


def test_a_new_file_can_be_read_by_its_owner_only(path: Path, opened: Opener) -> None:
    before = os.umask(0)
    try:
        storage = opened(path)
        added(storage, a_shop())
        for file in path.parent.iterdir():  # the log of changes holds data too
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_an_empty_file_is_set_up(path: Path, opened: Opener) -> None:
    path.touch()
    assert added(opened(path), a_shop()).number == 1


@pytest.mark.parametrize("processes", [2, in_full(8)])
def test_many_processes_set_up_one_new_file_at_once(path: Path, processes: int) -> None:
    program = """
import sys
from pathlib import Path
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.testing.builders import a_shop
print("ready", flush=True)
sys.stdin.readline()
storage = SqliteStorage(Path(sys.argv[1]))
storage.run(lambda store: store.shops.add(a_shop(sys.argv[2])))
storage.close()
"""
    run_at_once([sys.executable, "-c", program, str(path), f"shop-{number}"] for number in range(processes))
    storage = SqliteStorage(path)
    assert site_ids(storage) == [f"shop-{number}" for number in range(processes)]
    assert storage.problems() == []
    storage.close()


def test_setting_up_again_changes_nothing(path: Path) -> None:
    assert migrate(path) == [migration.name for migration in MIGRATIONS]
    assert migrate(path) == []


def test_a_database_of_another_program_is_refused_and_left_as_it_is(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(ConfigurationError):
        SqliteStorage(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


@pytest.mark.parametrize("lines", [1, 1000])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path, lines: int) -> None:
    path.write_text("a shopping list\n" * lines, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is not a SQLite database"):
        SqliteStorage(path)
    assert path.read_text(encoding="utf-8") == "a shopping list\n" * lines


def test_a_folder_is_no_database(sqlite_folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a SQLite database"):
        SqliteStorage(sqlite_folder)


def test_a_newer_schema_is_refused_by_every_way_in(path: Path, opened: Opener) -> None:
    opened(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('reviewinvite', 'm9999_later', '')"
        )
    for enter in (SqliteStorage, migrate):
        with pytest.raises(SchemaTooNew, match="m9999_later"):
            enter(path)


def test_an_older_schema_is_refused_with_the_command_that_mends_it() -> None:
    with pytest.raises(SchemaTooOld, match="reviewinvite db migrate"):
        check_schema([], MIGRATIONS)
    check_schema([], MIGRATIONS, older_will_do=True)


def test_a_path_that_cannot_be_a_file_is_a_wrong_setting(sqlite_folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="correct database_url"):
        SqliteStorage(sqlite_folder / "nowhere" / "test.db")


@pytest.mark.parametrize("name", ["with space.db", "q?mode=memory.db", "100%25#.db", "ünïcödé.db"])
def test_any_file_name_will_do(sqlite_folder: Path, opened: Opener, name: str) -> None:
    added(opened(sqlite_folder / name), a_shop())
    assert (sqlite_folder / name).stat().st_size > 0
    assert site_ids(opened(sqlite_folder / name)) == ["bakkerij-1"]


def test_damage_is_told(path: Path, opened: Opener) -> None:
    storage = opened(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO api_keys VALUES ('key_1', 999, x'00', 'abcd', '', 0, NULL)")
    assert [problem for problem in storage.problems() if "api_keys" in problem]


# --- trouble, and after it --------------------------------------------------------------------------------------


def test_a_missing_file_is_not_made_again_and_works_again_when_it_is_back(
    path: Path, opened: Opener, sqlite_folder: Path
) -> None:
    storage = opened(path)
    added(storage, a_shop("before"))
    away = path.rename(sqlite_folder / "away.db")
    assert_unavailable(storage)
    with pytest.raises(StorageUnavailable):
        site_ids(storage)
    with pytest.raises(StorageUnavailable):
        storage.problems()
    assert not path.exists()
    away.rename(path)
    added(storage, a_shop("after"))
    assert site_ids(storage) == ["after", "before"]


def test_a_copy_of_the_same_database_in_its_place_is_used(path: Path, opened: Opener, sqlite_folder: Path) -> None:
    storage = opened(path)
    added(storage, a_shop("before"))
    storage.run(lambda store: store.keep_key_ring(b"ring"))
    copy = sqlite_folder / "copy.db"
    with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    assert_unavailable(storage)
    shutil.move(copy, path)
    added(storage, a_shop("after"))
    assert site_ids(opened(path)) == site_ids(storage) == ["after", "before"]


def test_another_database_in_its_place_is_not_touched(path: Path, opened: Opener, sqlite_folder: Path) -> None:
    storage, other_path = opened(path), sqlite_folder / "other.db"
    storage.run(lambda store: store.keep_key_ring(b"ring"))
    other = opened(other_path)
    other.run(lambda store: store.keep_key_ring(b"another ring"))
    other.close()
    storage.close()
    path.unlink()
    other_path.rename(path)
    assert_unavailable(storage)
    with pytest.raises(StorageUnavailable):
        site_ids(storage)
    assert site_ids(opened(path)) == []


def test_an_empty_file_in_its_place_is_not_set_up_behind_ones_back(path: Path, opened: Opener) -> None:
    storage = opened(path)
    added(storage, a_shop())
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.touch()
    assert_unavailable(storage)
    assert path.stat().st_size == 0


def test_a_lock_of_another_process_is_waited_for_a_while_and_then_told(path: Path, opened: Opener) -> None:
    storage = opened(path)
    added(storage, a_shop("before"))
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys; connection = sqlite3.connect(sys.argv[1], isolation_level=None);"
            "connection.execute('BEGIN EXCLUSIVE'); print('held', flush=True); sys.stdin.readline()",
            str(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        assert_unavailable(storage)
        assert site_ids(storage) == ["before"]
        holder.communicate("done\n")
    added(storage, a_shop("after"))
    assert site_ids(storage) == ["after", "before"]


def test_a_short_lock_is_not_even_noticed(path: Path) -> None:
    storage = SqliteStorage(path, busy_seconds=60)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.execute, ["COMMIT"])
    release.start()
    assert added(storage, a_shop()).number == 1
    release.join()
    other.close()
    storage.close()


def test_a_full_database_keeps_nothing_of_the_unit_and_works_again_when_there_is_room(
    path: Path, opened: Opener
) -> None:
    storage = opened(path)
    added(storage, a_shop("before"))

    def add_and_fill_up(store: Store) -> None:
        store.shops.add(a_shop("lost"))
        fill_up(store)

    with pytest.raises(StorageUnavailable):
        storage.run(add_and_fill_up)
    added(storage, a_shop("after"))
    storage.run(lambda store: store.keep_key_ring(bytes(1_000_000)))  # more than there was room for
    assert site_ids(storage) == ["after", "before"]


@pytest.fixture
def small_disk(sqlite_folder: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    with disks.small_disk(sqlite_folder / "disk", megabytes=1) as folder:
        yield folder


def test_a_full_disk_is_storage_that_is_away_until_there_is_room(small_disk: Path, opened: Opener) -> None:
    storage = opened(small_disk / "test.db")
    added(storage, a_shop("before"))
    ballast = disks.fill(small_disk)
    kept: list[str] = []
    with contextlib.suppress(StorageUnavailable):
        while True:  # what room the log has left is used first
            kept.append(added(storage, a_shop(f"shop-{len(kept):03}")).site_id.text)
    disks.fill(small_disk)  # closing the connection has emptied the log and so made room
    assert_unavailable(storage)
    ballast.unlink()
    assert site_ids(storage) == ["before", *kept]
    added(storage, a_shop("zz-after"))
    assert site_ids(storage) == ["before", *kept, "zz-after"]
    assert storage.problems() == []


def test_a_full_disk_lets_no_database_be_set_up_and_a_later_try_succeeds(small_disk: Path, opened: Opener) -> None:
    ballast = disks.fill(small_disk)
    with pytest.raises(StorageUnavailable):
        SqliteStorage(small_disk / "test.db", busy_seconds=IMPATIENT)
    ballast.unlink()
    assert added(opened(small_disk / "test.db"), a_shop()).number == 1


def test_a_read_only_disk_is_storage_that_is_away_until_it_can_be_written(small_disk: Path, opened: Opener) -> None:
    storage = opened(small_disk / "test.db")
    added(storage, a_shop("before"))
    storage.close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert_unavailable(storage)
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    added(storage, a_shop("after"))
    assert site_ids(storage) == ["after", "before"]


@pytest.mark.skipif(os.geteuid() == 0, reason="cannot exist here: root may write to any file")
def test_a_read_only_file_is_storage_that_is_away_until_it_can_be_written(path: Path, opened: Opener) -> None:
    storage = opened(path)
    added(storage, a_shop("before"))
    storage.close()
    path.chmod(0o400)
    assert_unavailable(storage)
    path.chmod(0o600)
    added(storage, a_shop("after"))
    assert site_ids(storage) == ["after", "before"]
