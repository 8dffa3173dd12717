"""Whole trials of `prove`: a sound service passes, a broken one does not, and nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
from tests.cli.command import COMMAND, AsProcess
from tests.cli.harness import Installation
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_cli.prove.databases import SqliteDatabase
from reviewinvite_cli.prove.installation import Installation as OwnInstallation
from reviewinvite_cli.prove.run import Result, Trial
from reviewinvite_cli.prove.small_disk import Silent

BROKEN = str(Path(__file__).with_name("broken_service.py"))
pytestmark = pytest.mark.usefixtures("long_wait", "interpreter")


def result_of(folder: Path, fault: str) -> Result:
    """Run a short trial of a service that has this fault, with a mail server that often misbehaves."""
    result = Result(seed=7, engine="SQLite", seconds=8)
    installation = OwnInstallation(folder, SqliteDatabase(folder), seed=7, service=(BROKEN, fault), misbehave=0.5)
    try:
        Trial(installation, result, Silent()).run()
    finally:
        installation.close()
    return result


def test_it_finds_a_service_that_sends_again_after_a_lost_answer(tmp_path: Path) -> None:
    result = result_of(tmp_path, "twice")
    assert result.tally
    assert result.tally.twice > 0
    assert not result.is_good


def test_it_finds_a_service_that_does_not_send_what_it_says_it_has(tmp_path: Path) -> None:
    result = result_of(tmp_path, "lost")
    assert result.tally
    assert result.tally.lost
    assert not result.is_good


@pytest.fixture(params=["sqlite", "postgres"])
def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Installation:
    """An installation on either engine, with nothing in it."""
    if request.param == "sqlite":
        return Installation(tmp_path)
    return Installation(tmp_path, REVIEWINVITE_DATABASE_URL=request.getfixturevalue("postgres_server"))


def databases(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {name for (name,) in connection.execute("SELECT datname FROM pg_database").fetchall()}


def test_it_passes_on_a_sound_service_and_leaves_nothing_behind(installed: Installation, as_process: AsProcess) -> None:
    url = installed.variables.get("REVIEWINVITE_DATABASE_URL")
    before = databases(url) if url else set()
    ended = as_process(installed).run("prove", "--seconds", "4", "--seed", "3", "--json")
    assert ended.code == 0, ended
    found: dict[str, Any] = json.loads(ended.out)
    assert (found["ok"], found["complete"], found["twice"], found["lost"], found["seed"]) == (True, True, 0, 0, 3)
    assert found["acknowledged"] > 0
    assert found["restore"]["afterBackup"] > 0
    assert ("diskFull" in found["faults"]) == (url is None)
    if found["engine"] == "SQLite" and not any("of its own" in reason for reason in found["notDone"]):
        assert (found["smallDisk"]["twice"], found["smallDisk"]["lost"]) == (0, 0)
        assert found["smallDisk"]["sent"] > 0
    assert list(installed.folder.iterdir()) == []
    assert {name for name in (databases(url) if url else set()) - before if "prove" in name} == set()


def test_a_named_database_is_used_only_if_it_is_empty_and_is_empty_afterwards(
    tmp_path: Path, postgres_url: str, as_process: AsProcess
) -> None:
    process = as_process(Installation(tmp_path))
    ended = process.run("prove", "--seconds", "2", "--database-url", postgres_url, "--json")
    assert ended.code == 0, ended
    assert any(line.startswith("restore: ") for line in json.loads(ended.out)["notDone"])
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        assert connection.execute(tables).fetchall() == []
        connection.execute("CREATE TABLE mine (one int)")
        refused = process.run("prove", "--seconds", "2", "--database-url", postgres_url)
        assert (refused.code, refused.out) == (3, "")
        assert "name an empty one" in refused.err
        assert connection.execute(tables).fetchall() == [("mine",)]


def test_a_user_who_may_not_create_a_database_is_told_what_to_do(
    tmp_path: Path, postgres_server: str, as_process: AsProcess
) -> None:
    role = f"modest_{os.getpid()}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE ROLE "{role}" LOGIN')
        try:
            url = urlsplit(postgres_server)._replace(
                netloc=f"{role}:@{urlsplit(postgres_server).netloc.split('@')[-1]}"
            )
            ended = as_process(Installation(tmp_path, REVIEWINVITE_DATABASE_URL=url.geturl())).run("prove", "--quick")
        finally:
            connection.execute(f'DROP ROLE "{role}"')
    assert (ended.code, ended.out) == (3, "")
    assert "CREATEDB" in ended.err
    assert list(tmp_path.iterdir()) == []


@contextmanager
def under_way(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a trial until the block ends; it has begun to take orders."""
    environment = Installation(folder).environment()
    command = [*COMMAND, "prove", "--seconds", "3600"]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr
            assert any(line.startswith("Taking orders") for line in process.stderr)
            yield process
        finally:
            process.kill()


def test_ctrl_c_prints_what_there_is_as_incomplete(tmp_path: Path) -> None:
    with under_way(tmp_path) as process:
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 130
    assert printed.startswith("Incomplete")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not end children with their parent")
def test_nothing_is_left_behind_if_it_is_killed(tmp_path: Path) -> None:
    with under_way(tmp_path) as process:
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= 3
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        wait_until(lambda: not any(child.is_running() for child in children))
        wait_until(lambda: not list(tmp_path.iterdir()))
