"""`db backup` and `db restore`, beside processes that use the database."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import stat
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation
from tests.reporting import one_attempt
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_cli.output import size


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def shops(installation: Installation) -> list[str]:
    return [shop["siteId"] for shop in installation.json("shop", "list")]


def add_shop(installation: Installation, site_id: str) -> None:
    installation.ok("shop", "add", site_id, "--name", "Kaashandel")


def test_a_backup_made_while_orders_come_in_is_whole_and_nobody_is_refused(
    molen: Installation, as_process: AsProcess
) -> None:
    key = molen.json("key", "create", "molen")["key"]
    duplicates: list[bool] = []
    stop = threading.Event()
    with as_process(molen).serving("--no-worker", REVIEWINVITE_ORDERS_PER_MINUTE="0") as (process, address):

        def report() -> None:
            with one_attempt(address, key) as client:
                while not stop.is_set():
                    reported = client.report_order("c@example.com", order_number=str(len(duplicates)))
                    duplicates.append(reported.duplicate)

        reporter = threading.Thread(target=report)
        reporter.start()
        try:
            wait_until(lambda: duplicates)
            made = [molen.json("db", "backup", f"backup-{number}.db") for number in range(3)]
        finally:
            stop.set()
            reporter.join()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT_SECONDS)
    assert set(duplicates) == {False}
    counts = []
    for one in made:
        file = molen.folder / one["file"]
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.stat().st_size == one["bytes"]
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            ((orders, invitations),) = connection.execute(
                "SELECT (SELECT COUNT(*) FROM orders), (SELECT COUNT(*) FROM invitations)"
            )
        assert orders == invitations
        counts.append(orders)
    assert counts == sorted(counts)
    assert 0 < counts[-1] <= len(duplicates)


def test_a_backup_is_restored_and_what_was_there_is_kept(molen: Installation) -> None:
    ended = molen.run("db", "backup", "backup.db")
    assert (ended.code, ended.out) == (0, "")
    assert "backup.db" in ended.err
    assert "The backup does not contain the secret" in ended.err
    add_shop(molen, "kaas")
    ended = molen.run("db", "restore", "--yes", "backup.db")
    assert (ended.code, ended.out) == (0, "")
    assert shops(molen) == ["molen"]
    (kept,) = [name for name in names_in(molen.folder) if "before-restore" in name]
    assert kept in ended.err
    assert not [name for name in names_in(molen.folder) if name.endswith(("-wal", "-shm", "-journal", ".partial"))]
    again = molen.json("db", "restore", "--yes", kept)
    assert again["replaced"] != kept
    assert shops(molen) == ["kaas", "molen"]


def test_what_is_replaced_is_kept_beside_what_was_kept_within_the_same_second(molen: Installation) -> None:
    molen.ok("db", "backup", "backup.db")
    now = datetime.now(UTC)
    seconds = [now + timedelta(seconds=ahead) for ahead in range(int(TIMEOUT_SECONDS))]
    taken = {f"reviewinvite.db.before-restore-{second:%Y%m%dT%H%M%SZ}" for second in seconds}
    for name in taken:
        (molen.folder / name).write_text("kept before")
    replaced = Path(molen.json("db", "restore", "--yes", "backup.db")["replaced"]).name
    assert (replaced[:-2], replaced[-2:]) in {(name, "-2") for name in taken}
    assert {(molen.folder / name).read_text() for name in taken} == {"kept before"}


def test_a_backup_is_restored_on_another_machine_with_the_secret_only(molen: Installation, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = Installation(other)
    molen.ok("db", "backup", str(other / "backup.db"))
    assert "secret" in elsewhere.refused(3, "db", "restore", "--yes", "backup.db")
    assert "secret" in elsewhere.refused(3, "db", "restore", "--yes", "backup.db", REVIEWINVITE_SECRET="x" * 32)
    assert names_in(other) == {"backup.db"}
    shutil.copyfile(molen.folder / "reviewinvite.db.secret", other / "reviewinvite.db.secret")
    assert elsewhere.json("db", "restore", "--yes", "backup.db")["replaced"] is None
    assert shops(elsewhere) == ["molen"]


def test_nothing_is_restored_while_a_worker_runs(molen: Installation, as_process: AsProcess) -> None:
    molen.ok("db", "backup", "backup.db")
    add_shop(molen, "kaas")
    process = as_process(molen).start("worker")
    try:
        invite_id = molen.json("order", "report", "molen", "customer@example.com", "--delay-days", "0")["inviteId"]
        assert process.stdout
        assert invite_id in process.stdout.readline()
        said = molen.refused(1, "db", "restore", "--yes", "backup.db")
        assert said.endswith("is open in another process: stop every serve and worker first. Nothing was changed.")
        assert shops(molen) == ["kaas", "molen"]
        assert not [name for name in names_in(molen.folder) if "before-restore" in name]
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_SECONDS)
    molen.ok("db", "restore", "--yes", "backup.db")
    assert shops(molen) == ["molen"]


@pytest.mark.parametrize("there", ["backup.db", "backup.db.partial"])
def test_a_backup_that_would_overwrite_something_is_refused(molen: Installation, there: str) -> None:
    (molen.folder / there).write_text("mine")
    said = molen.refused(1, "db", "backup", "backup.db")
    assert there in said
    assert ("choose another name" in said) == (there == "backup.db")
    assert (molen.folder / there).read_text() == "mine"


def test_files_that_are_not_there_or_no_backup_are_told(molen: Installation) -> None:
    assert molen.refused(1, "db", "restore", "--yes", "nothing.db") == "Error: No such file or directory: nothing.db."
    assert "nowhere" in molen.refused(1, "db", "backup", "nowhere/backup.db")
    (molen.folder / "text.db").write_text("no database " * 100)
    assert "text.db is not a SQLite database" in molen.refused(3, "db", "restore", "--yes", "text.db")
    assert "itself" in molen.refused(3, "db", "restore", "--yes", "reviewinvite.db")
    assert shops(molen) == ["molen"]


@pytest.mark.parametrize(
    ("url", "words"), [("postgresql://127.0.0.1:9/none", "pg_dump"), ("memory:", "cannot be backed up or restored")]
)
@pytest.mark.parametrize("command", [("backup",), ("restore", "--yes")], ids=" ".join)
def test_what_is_no_file_has_other_ways(empty: Installation, command: tuple[str, ...], url: str, words: str) -> None:
    assert words in empty.refused(3, "--database-url", url, "db", *command, "file.db")
    assert names_in(empty.folder) == set()


def test_on_a_terminal_a_bar_shows_how_far_it_is(molen: Installation, as_process: AsProcess) -> None:
    assert "Backing up" in as_process(molen).on_terminal("db", "backup", "backup.db")
    assert "Restoring" in as_process(molen).on_terminal("db", "restore", "--yes", "backup.db")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("db", "check"), "Checking"),
        (("db", "migrate"), "Migrating"),
        (("db", "recount"), "Counting"),
        (("privacy", "purge"), "Purging"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_on_a_terminal_what_may_take_long_shows_that_it_is_at_work(
    molen: Installation, as_process: AsProcess, command: tuple[str, ...], shown: str
) -> None:
    assert shown in as_process(molen).on_terminal(*command)
    assert shown not in molen.run(*command).err


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (2_658_304, "2.5 MiB"), (12_345_678_901, "11.5 GiB")],
)
def test_sizes_are_for_people(number: int, shown: str) -> None:
    assert size(number) == shown


def test_a_backup_that_is_interrupted_leaves_nothing(molen: Installation, as_process: AsProcess) -> None:
    copying = ("reviewinvite_core.adapters.sql.sqlite.file", "connect", 2)  # the second is to the copy
    with as_process(molen).halted(*copying, "db", "backup", "backup.db") as process:
        assert "backup.db.partial" in names_in(molen.folder)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not [name for name in names_in(molen.folder) if name.startswith("backup")]
