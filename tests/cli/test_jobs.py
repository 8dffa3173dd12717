"""How backups and purges report, and what `doctor` says of them and of deliveries."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.harness import Installation


def state(installation: Installation, job: str) -> dict[str, str]:
    file = installation.folder / f"reviewinvite.db.state.{job}"
    return dict(json.loads(file.read_text())) if file.exists() else {}


def found(installation: Installation, check: str) -> tuple[str, str]:
    listed = json.loads(installation.run("doctor", "--json").out)
    return next((each["status"], each["detail"]) for each in listed if each["check"] == check)


def clock(folder: Path, synchronised: str) -> dict[str, str]:
    """Put a `timedatectl` first in PATH that says this of the clock."""
    program = folder / "timedatectl"
    program.write_text(f"#!/bin/sh\necho {synchronised}\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_a_backup_reports_success_and_failure_and_the_last_success_stays_known(molen: Installation) -> None:
    assert found(molen, "backups") == ("warning", "no backup is known")
    molen.ok("db", "backup", "first.db")
    assert set(state(molen, "backup")) == {"succeeded_at"}
    assert found(molen, "backups") == ("ok", "the last backup succeeded less than a minute ago")
    molen.refused(1, "db", "backup", "first.db")
    assert set(state(molen, "backup")) == {"succeeded_at", "failed_at", "reason"}
    words = "first.db exists already; the last backup succeeded less than a minute ago"
    assert found(molen, "backups") == ("failure", words)
    assert molen.json("backup", "record")["failedAt"] is None
    assert found(molen, "backups")[0] == "ok"


def test_a_backup_before_the_clock_was_set_back_is_known(molen: Installation) -> None:
    molen.ok("backup", "record")
    file = molen.folder / "reviewinvite.db.state.backup"
    file.write_text(json.dumps({"succeeded_at": (datetime.now(UTC) + timedelta(hours=1)).isoformat()}))
    assert found(molen, "backups") == ("ok", "the last backup succeeded less than a minute ago")


def test_a_backup_into_a_folder_that_is_not_there_fails_with_its_name(molen: Installation) -> None:
    molen.refused(1, "db", "backup", "not-mounted/first.db")
    words = "No such file or directory: not-mounted/first.db; no backup is known"
    assert found(molen, "backups") == ("failure", words)


def test_a_backup_of_another_tool_is_recorded_with_its_failure(molen: Installation) -> None:
    recorded = molen.json("backup", "record", "--failed", "pg_dump ended\nwith 1")
    assert (recorded["succeededAt"], recorded["reason"]) == (None, "pg_dump ended with 1")
    assert found(molen, "backups") == ("failure", "pg_dump ended with 1; no backup is known")


def test_a_purge_by_a_clock_that_may_be_wrong_fails_with_its_reason(molen: Installation, tmp_path: Path) -> None:
    ended = molen.run("privacy", "purge", "--require-synchronised-clock", **clock(tmp_path, "no"))
    assert ended.code == 1
    assert "is not synchronised (NTPSynchronized=no)" in ended.err
    assert found(molen, "purge")[0] == "failure"
    molen.ok("privacy", "purge", "--require-synchronised-clock", **clock(tmp_path, "yes"))
    assert found(molen, "purge") == ("ok", "the last purge succeeded less than a minute ago")


@pytest.mark.parametrize(("job", "check", "hours"), [("backup", "backups", 27), ("purge", "purge", 51)])
def test_what_was_long_ago_or_is_long_awaited_is_a_failure(
    molen: Installation, job: str, check: str, hours: int
) -> None:
    file = molen.folder / f"reviewinvite.db.state.{job}"
    for key in ("succeeded_at", "awaited_since"):
        file.write_text(json.dumps({key: (datetime.now(UTC) - timedelta(hours=hours)).isoformat()}))
        assert found(molen, check)[0] == "failure"
        file.write_text(json.dumps({key: (datetime.now(UTC) - timedelta(hours=hours - 2)).isoformat()}))
        assert found(molen, check)[0] != "failure"
    file.write_text("damaged")
    assert "it is damaged" in found(molen, check)[1]


def test_where_there_is_no_database_nothing_is_recorded(empty: Installation) -> None:
    for command in (("backup", "record"), ("db", "backup", "new.db"), ("privacy", "purge")):
        empty.refused(3, *command)
    assert list(empty.folder.iterdir()) == []


def test_doctor_names_what_waits_and_that_nobody_delivers(molen: Installation) -> None:
    molen.ok("order", "report", "molen", "anna@example.com", "--delay-days", "0")
    assert found(molen, "deliveries") == ("failure", "no worker delivers")
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection, connection:
        connection.execute("UPDATE invitations SET attempts = 1, scheduled_for = 0, due_at = due_at * 2")
        connection.execute("INSERT INTO workers VALUES (x'00', 'h', 1, 0)")
    status, detail = found(molen, "deliveries")
    assert status == "failure"
    assert "the oldest invitation was due" in detail
    assert "1 tried in vain" in detail
    assert "workers without a sign of life for 2 minutes: 1" in detail
