"""A SQLite file is backed up while it is used, and restored as a whole or not at all (ADR-21)."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.builders import added

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.sqlite import backup as sqlite_backup
from reviewinvite_core.adapters.sql.sqlite.backup import PAGES_AT_ONCE
from reviewinvite_core.adapters.sql.sqlite.migrate import migrate
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.errors import (
    ConfigurationError,
    DatabaseInUse,
    DatabaseMissing,
    SchemaTooNew,
    StorageUnavailable,
)
from reviewinvite_core.testing.builders import a_shop

OLD, NEW = b"old" * 1_500_000, b"new" * 1_500_000  # some steps of copying each
IMPATIENT = 0.05
LATER = "INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('reviewinvite', 'm9999_later')"


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def silent(_: int, __: int) -> None:
    """No-op progress callback."""


def a_database(path: Path, ring: bytes = OLD, *shops: str) -> Path:
    storage = SqliteStorage(path)
    storage.run(lambda store: store.keep_key_ring(ring))
    for site_id in shops:
        added(storage, a_shop(site_id))
    storage.close()
    return path


def ring_in(path: Path) -> bytes | None:
    """The ring in a database that is whole."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        row = connection.execute("SELECT sealed FROM key_ring").fetchone()
        return row[0] if row else None


def shops_in(path: Path) -> list[str]:
    storage = SqliteStorage(path)
    try:
        return [shop.site_id.text for shop in storage.read(lambda store: store.shops.every())]
    finally:
        storage.close()


def back_up(path: Path, file: Path, progress: Callable[[int, int], None] = silent) -> Path:
    sqlite_backup.back_up(path, file, progress)
    return file


def restore(path: Path, file: Path, progress: Callable[[int, int], None] = silent) -> bool:
    replaced = path.with_name("replaced")
    carried = sqlite_backup.restore(path, file, replaced=replaced, accepts=lambda _: None, progress=progress)
    return carried is not None


@pytest.fixture
def path(sqlite_folder: Path) -> Path:
    return sqlite_folder / "reviewinvite.db"


@pytest.fixture
def file(sqlite_folder: Path) -> Path:
    (sqlite_folder / "backups").mkdir()
    return sqlite_folder / "backups" / "backup.db"


def test_a_backup_is_one_whole_file_that_only_its_owner_can_read(path: Path, file: Path) -> None:
    a_database(path, OLD, "molen")
    steps: list[tuple[int, int]] = []
    back_up(path, file, lambda done, total: steps.append((done, total)))
    assert names_in(file.parent) == [file.name]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert ring_in(file) == OLD
    assert file.read_bytes()[18:20] == b"\1\1"  # without a write-ahead log, so it is read where nothing can be written
    assert shops_in(file) == ["molen"]
    assert len(steps) > 2
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1]


def test_a_backup_holds_one_instant_however_much_is_written_meanwhile(path: Path, file: Path) -> None:
    a_database(path, OLD, "before")
    storage = SqliteStorage(path)
    count = 0

    def write(done: int, total: int) -> None:
        nonlocal count
        count += 1
        added(storage, a_shop(f"meanwhile-{count}"))
        assert count <= total / PAGES_AT_ONCE + 2, "it starts over with every order that comes in"

    back_up(path, file, write)
    storage.close()
    assert shops_in(file) == ["before"]
    assert len(shops_in(path)) == count + 1 > 3


def test_a_backup_holds_what_is_in_the_log_only(path: Path, file: Path) -> None:
    storage = SqliteStorage(path)
    added(storage, a_shop("molen"))
    assert path.with_name(path.name + "-wal").stat().st_size
    back_up(path, file)
    storage.close()
    assert shops_in(file) == ["molen"]


@pytest.mark.parametrize("taken", ["backup.db", "backup.db.partial"])
def test_a_backup_overwrites_nothing(path: Path, file: Path, taken: str) -> None:
    a_database(path)
    there = file.with_name(taken)
    there.write_text("mine")
    with pytest.raises(FileExistsError, match=taken):
        back_up(path, file)
    assert names_in(file.parent) == [taken]
    assert there.read_text() == "mine"


def test_a_file_that_appears_meanwhile_is_not_overwritten_either(path: Path, file: Path) -> None:
    def write_mine(_done: int, _total: int) -> None:
        file.write_text("mine")

    a_database(path)
    with pytest.raises(FileExistsError):
        back_up(path, file, write_mine)
    assert names_in(file.parent) == [file.name]
    assert file.read_text() == "mine"


def test_a_backup_that_is_broken_off_leaves_nothing(path: Path, file: Path) -> None:
    def interrupt(_: int, __: int) -> None:
        raise KeyboardInterrupt

    a_database(path)
    with pytest.raises(KeyboardInterrupt):
        back_up(path, file, interrupt)
    assert names_in(file.parent) == []
    assert ring_in(back_up(path, file)) == OLD


@pytest.mark.parametrize("deep", [False, True])
def test_a_damaged_database_gives_no_backup(path: Path, file: Path, deep: bool) -> None:
    (damage_deep_inside if deep else damage)(a_database(path))
    with pytest.raises(ConfigurationError, match="damaged"):
        back_up(path, file)
    assert names_in(file.parent) == []


def test_what_is_not_ours_gives_no_backup_and_what_is_not_there_is_not_made(path: Path, file: Path) -> None:
    with pytest.raises(DatabaseMissing, match="there is no database"):
        back_up(path, file)
    assert not path.exists()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(ConfigurationError, match="another program"):
        back_up(path, file)
    assert names_in(file.parent) == []


def test_a_database_of_an_older_release_is_backed_up_and_restored_as_it_is(path: Path, file: Path) -> None:
    migrate(path, migrations=MIGRATIONS[:1])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO key_ring VALUES (1, x'01')")
        connection.commit()
    back_up(path, file)
    assert migrate(path) == [migration.name for migration in MIGRATIONS[1:]]
    assert restore(path, file)
    assert migrate(path) == [migration.name for migration in MIGRATIONS[1:]]


def test_a_restored_database_is_that_of_the_backup_and_what_was_there_is_kept(path: Path, file: Path) -> None:
    a_database(path, OLD, "before")
    back_up(path, file)
    a_database(path, NEW, "after")
    assert restore(path, file)
    assert ring_in(path) == OLD
    assert shops_in(path) == ["before"]
    kept = path.with_name("replaced")
    assert ring_in(kept) == NEW
    assert shops_in(kept) == ["after", "before"]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert ring_in(file) == OLD
    assert names_in(path.parent) == ["backups", "replaced", "reviewinvite.db"]
    assert names_in(file.parent) == [file.name]


def test_what_a_killed_process_left_in_the_log_is_in_what_is_kept_and_not_in_what_is_restored(
    path: Path, file: Path, sqlite_folder: Path
) -> None:
    back_up(a_database(path, OLD, "before"), file)
    storage = SqliteStorage(path)
    added(storage, a_shop("in-the-log"))
    killed = sqlite_folder / "killed"
    killed.mkdir()
    for name in ("reviewinvite.db", "reviewinvite.db-wal"):
        shutil.copyfile(path.with_name(name), killed / name)
    storage.close()
    assert restore(killed / path.name, file)
    assert shops_in(killed / path.name) == ["before"]
    assert shops_in(killed / "replaced") == ["before", "in-the-log"]
    assert names_in(killed) == ["replaced", "reviewinvite.db"]


@pytest.mark.parametrize("empty", [False, True])
def test_a_backup_is_restored_where_there_is_nothing(path: Path, file: Path, empty: bool) -> None:
    back_up(a_database(path), file)
    path.unlink()
    if empty:
        path.touch()
    assert not restore(path, file)
    assert ring_in(path) == OLD
    assert stat.S_IMODE(path.stat().st_mode) == (stat.S_IMODE(file.stat().st_mode) if not empty else 0o644)
    assert not path.with_name("replaced").exists()


def test_a_copy_made_by_hand_is_restored_too(path: Path, file: Path) -> None:
    shutil.copyfile(a_database(path, OLD, "before"), file)  # with a write-ahead log, as the database has
    a_database(path, NEW)
    assert restore(path, file)
    assert shops_in(path) == ["before"]
    assert names_in(file.parent) == [file.name]


def test_a_newer_database_may_be_replaced_since_it_may_be_the_reason(path: Path, file: Path) -> None:
    back_up(a_database(path), file)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(LATER)
        connection.commit()
    with pytest.raises(SchemaTooNew):
        SqliteStorage(path)
    restore(path, file)
    SqliteStorage(path).close()


def damage(path: Path) -> Path:
    with path.open("r+b") as opened:
        opened.seek(4096)
        opened.write(os.urandom(3 * 4096))
    return path


def damage_deep_inside(path: Path) -> Path:
    """Damage it where nobody looks who only asks for its release and its ring."""
    with closing(sqlite3.connect(path)) as connection:
        ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'changes'")
    with path.open("r+b") as opened:
        opened.seek((page - 1) * 4096)
        opened.write(os.urandom(4096))
    return path


def text(path: Path) -> Path:
    path.write_text("This is a text, and longer than a page of a database would be. " * 20)
    return path


def short(path: Path) -> Path:
    path.write_text("short")
    return path


def of_another_program(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    return path


def without_a_ring(path: Path) -> Path:
    migrate(path)
    return path


def newer(path: Path) -> Path:
    a_database(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(LATER)
        connection.commit()
    return path


def empty(path: Path) -> Path:
    path.touch()
    return path


def a_folder(path: Path) -> Path:
    path.mkdir()
    return path


def damaged(path: Path) -> Path:
    return damage(a_database(path))


def damaged_deep_inside(path: Path) -> Path:
    return damage_deep_inside(a_database(path))


@pytest.mark.parametrize(
    "make",
    [damaged, damaged_deep_inside, text, short, of_another_program, without_a_ring, newer, empty, a_folder],
    ids=lambda f: f.__name__,
)
def test_what_will_not_do_is_refused_before_anything_is_touched(
    path: Path, file: Path, make: Callable[[Path], Path]
) -> None:
    make(file)
    a_database(path, NEW)
    before = path.read_bytes()
    with pytest.raises(ConfigurationError):
        restore(path, file)
    assert path.read_bytes() == before
    assert names_in(path.parent) == ["backups", "reviewinvite.db"]


def test_a_ring_that_the_secret_does_not_open_is_refused_before_anything_is_touched(path: Path, file: Path) -> None:
    def refuse(sealed: bytes) -> None:
        assert sealed == OLD
        raise ConfigurationError("the secret does not open it")

    back_up(a_database(path), file)
    path.unlink()
    with pytest.raises(ConfigurationError, match="does not open"):
        sqlite_backup.restore(path, file, replaced=path.with_name("r"), accepts=refuse, progress=silent)
    assert names_in(path.parent) == ["backups"]


def test_a_database_is_not_restored_from_itself(path: Path) -> None:
    a_database(path)
    other_name = path.with_name("link.db")
    other_name.symlink_to(path)
    for same in (path, other_name):
        with pytest.raises(ConfigurationError, match="itself"):
            restore(path, same)
    assert ring_in(path) == OLD


def test_a_damaged_database_is_replaced_and_kept_as_it_is(path: Path, file: Path) -> None:
    back_up(a_database(path), file)
    before = damage(a_database(path, NEW)).read_bytes()
    restore(path, file)
    assert ring_in(path) == OLD
    kept = path.with_name("replaced").read_bytes()
    assert kept[4096:] == before[4096:]  # the first page says how it is written to


def test_a_file_in_its_place_that_is_no_database_is_left_alone(path: Path, file: Path) -> None:
    back_up(a_database(path), file)
    before = text(path).read_bytes()
    with pytest.raises(ConfigurationError, match="is not a SQLite database"):
        restore(path, file)
    assert path.read_bytes() == before


def test_another_programs_database_is_not_replaced(path: Path, file: Path) -> None:
    back_up(a_database(path), file)
    path.unlink()
    of_another_program(path)
    with pytest.raises(ConfigurationError, match="another program"):
        restore(path, file)
    assert not path.with_name("replaced").exists()


HOLDER = """
import sys
from pathlib import Path
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
storage = SqliteStorage(Path(sys.argv[1]))
storage.read(lambda store: store.shops.every())
print("open", flush=True)
sys.stdin.read()
"""


def test_nothing_is_restored_while_another_process_has_the_database_open_even_idle(path: Path, file: Path) -> None:
    back_up(a_database(path), file)
    a_database(path, NEW)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(DatabaseInUse, match="stop every serve and worker"):
            restore(path, file)
        assert ring_in(path) == NEW
        assert not path.with_name("replaced").exists()
        holder.communicate()
    assert restore(path, file)
    assert ring_in(path) == OLD


def test_nobody_gets_at_the_database_while_it_is_restored(path: Path, file: Path) -> None:
    back_up(a_database(path), file)
    a_database(path, NEW)
    tried = 0

    def try_to_open(_: int, __: int) -> None:
        nonlocal tried
        tried += 1
        with pytest.raises(StorageUnavailable, match="locked"):
            SqliteStorage(path, busy_seconds=IMPATIENT)

    restore(path, file, try_to_open)
    assert tried > 3
    assert ring_in(path) == OLD


RESTORER = """
import os, signal, sys
from pathlib import Path
from reviewinvite_core.adapters.sql.sqlite.backup import restore
path, file, last = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
step = 0

def kill(done, total):
    global step
    step += 1
    if step == last:
        os.kill(os.getpid(), signal.SIGKILL)

restore(path, file, replaced=path.with_name("kept"), accepts=lambda _: None, progress=kill)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("step", [1, 2, 4, 99])
def test_a_restore_that_is_killed_leaves_the_one_database_or_the_other_and_can_be_run_again(
    path: Path, file: Path, step: int
) -> None:
    back_up(a_database(path), file)
    a_database(path, NEW)
    killed = subprocess.run([sys.executable, "-c", RESTORER, path, file, str(step)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert ring_in(path) == (OLD if step == 99 else NEW)
    assert ring_in(path.with_name("kept")) == NEW
    assert ring_in(file) == OLD
    restore(path, file)
    assert ring_in(path) == OLD
    SqliteStorage(path).close()
    assert names_in(path.parent) == ["backups", "kept", "replaced", "reviewinvite.db"]
