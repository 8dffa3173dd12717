"""A backup that is copied over a database whose last user was killed is noticed, and not used."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.budgets import in_full
from tests.cli.command import AsProcess, ProcessInstallation
from tests.cli.harness import Installation
from tests.cli.orders import report_due, sent_invitations, write_order_file
from tests.waiting import wait_until


def kill_worker_after(molen: ProcessInstallation, orders: int) -> None:
    """Deliver all, and leave what tells of it in the write-ahead log."""
    process = molen.start("worker")
    try:
        write_order_file(molen.folder / "orders.csv", 0, 60)
        molen.ok("order", "import", "molen", "orders.csv")
        wait_until(lambda: len(sent_invitations(molen)) == orders)
    finally:
        process.kill()
        process.communicate()
    assert (molen.folder / "reviewinvite.db-wal").stat().st_size


@pytest.fixture
def outbox(molen: Installation) -> Path:
    report_due(molen, "first")
    molen.ok("worker", "--once")
    new = molen.folder / "outbox" / "new"
    for file in new.iterdir():
        file.unlink()
    return new


@pytest.mark.parametrize("backup", [in_full("db backup"), "cp"])
def test_a_backup_copied_over_it_beside_the_log_of_a_killed_worker_is_refused(
    molen: Installation, as_process: AsProcess, outbox: Path, backup: str
) -> None:
    database, file = molen.folder / "reviewinvite.db", molen.folder / "backup.db"
    if backup == "cp":
        shutil.copyfile(database, file)  # nobody has it open
    else:
        molen.ok("db", "backup", "backup.db")
    write_order_file(molen.folder / "earlier.csv", 1000, 300)
    molen.ok("order", "import", "molen", "earlier.csv")
    molen.ok("worker", "--once")  # all of which is in the database itself when the command ends
    kill_worker_after(as_process(molen), 360)
    shutil.copyfile(file, database)
    for command in (("invitation", "list"), ("db", "backup", "no.db"), ("worker",)):
        said = as_process(molen).refused(3, *command)
        assert "database is damaged" in said
        assert "reviewinvite.db-wal" in said
    assert len(list(outbox.iterdir())) == 360
    assert "deliveries are paused" in molen.run("db", "restore", "--yes", "backup.db").err
    assert "db reconcile" in as_process(molen).refused(3, "worker", "--once")
    assert len(list(outbox.iterdir())) == 360


def test_what_a_killed_worker_left_is_used_when_it_is_sound(
    molen: Installation, as_process: AsProcess, outbox: Path
) -> None:
    kill_worker_after(as_process(molen), 60)
    ended = molen.run("worker", "--once")
    assert (ended.code, len(list(outbox.iterdir()))) == (0, 60)
    assert "the last process to use the database was killed" in ended.out + ended.err
    again = molen.run("worker", "--once")
    assert "killed" not in again.out + again.err


def test_a_database_that_others_have_open_is_not_checked_for_each_command(
    molen: Installation, as_process: AsProcess, outbox: Path
) -> None:
    process = as_process(molen).start("worker")
    try:
        report_due(molen)
        wait_until(lambda: len(list(outbox.iterdir())) == 1)
        assert (molen.folder / "reviewinvite.db-wal").stat().st_size
        ended = molen.run("invitation", "list")
        assert ended.code == 0
        assert "killed" not in ended.out + ended.err
    finally:
        process.kill()
        process.communicate()
