"""Settings into an application: what is made, what is refused, and what is left alone."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes_at_once import run_at_once
from tests.steps import submit
from tests.units import group_commit_of, unit_of

from reviewinvite_core import Settings, accepted, build
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.admin import check_database, migrate_database
from reviewinvite_core.application.application import Application
from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.domain.errors import ConfigurationError, SecretMissing, SecretWrong, StorageUnavailable
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.shops import add_shop

SECRET, OTHER_SECRET = "a secret of the operator's own", "another secret of an operator"
PASSWORD = "hunter2-hunter2"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "reviews.db"


def settings_for(database: Path, **settings: Any) -> Settings:
    return Settings(database_url=f"sqlite:///{database}", mail_url="recording:", **settings)


@contextlib.contextmanager
def built(settings: Settings) -> Iterator[Application]:
    app = build(settings)
    try:
        yield app
    finally:
        app.close()


def contents(folder: Path) -> dict[str, str]:
    """Each file and what is in it, but for SQLite's own side files."""
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.iterdir()
        if not file.name.endswith(("-shm", "-wal"))
    }


def test_a_new_database_gets_a_secret_beside_it_that_only_its_owner_can_read(database: Path) -> None:
    before = os.umask(0)
    try:
        with built(settings_for(database)):
            secret = database.with_name("reviews.db.secret")
            assert stat.S_IMODE(secret.stat().st_mode) == 0o600
            assert stat.S_IMODE(database.stat().st_mode) == 0o600
    finally:
        os.umask(before)
    assert len(secret.read_text(encoding="utf-8").strip()) >= 43


def test_what_was_reported_is_recognised_after_a_restart(database: Path) -> None:
    answers = []
    for _ in range(2):
        with built(settings_for(database)) as app:
            app.shops.add(a_shop())
            answers.append(app.orders.report(accepted(app.shops.act_for("bakkerij-1")), an_order_report()))
    assert accepted(answers[0]).invite_id == accepted(answers[1]).invite_id
    assert [accepted(answer).duplicate for answer in answers] == [False, True]


def test_no_address_is_in_the_file_in_clear(database: Path) -> None:
    with built(settings_for(database)) as app:
        app.shops.add(a_shop())
        app.orders.report(accepted(app.shops.act_for("bakkerij-1")), an_order_report("verysecretname@example.com"))
        for file in database.parent.iterdir():
            assert b"verysecretname" not in file.read_bytes()


def test_with_a_secret_of_the_operators_own_no_file_is_made(database: Path) -> None:
    with built(settings_for(database, secret=SECRET)):
        assert not database.with_name("reviews.db.secret").exists()
    with built(settings_for(database, secret=f" {SECRET}\n")):
        pass


@pytest.mark.parametrize(
    ("given", "refusal"),
    [({"secret": OTHER_SECRET}, SecretWrong), ({}, SecretMissing), ({"secret": "too short"}, ConfigurationError)],
)
def test_a_wrong_or_missing_secret_is_refused_and_nothing_is_written(
    database: Path, given: dict[str, str], refusal: type[ConfigurationError]
) -> None:
    with built(settings_for(database, secret=SECRET)) as app:
        app.shops.add(a_shop())
    before = contents(database.parent)
    for use in (build, migrate_database, check_database):
        with pytest.raises(refusal) as caught:
            use(settings_for(database, **given))
        assert type(caught.value) is refusal
        assert SECRET not in str(caught.value)
        assert "".join(given.values()) not in str(caught.value) or not given
    assert contents(database.parent) == before
    with built(settings_for(database, secret=SECRET)) as app:
        assert accepted(app.shops.show("bakkerij-1")).name == "Bakkerij De Molen"


def test_a_secret_file_that_is_gone_is_missed_and_not_made_again(database: Path) -> None:
    with built(settings_for(database)):
        pass
    secret = database.with_name("reviews.db.secret")
    secret.unlink()
    with pytest.raises(SecretMissing, match=r"set secret or secret_file \(there is no file "):
        build(settings_for(database))
    assert not secret.exists()


def test_a_secret_file_that_was_named_has_to_be_there(database: Path, tmp_path: Path) -> None:
    named = tmp_path / "elsewhere" / "secret"
    with pytest.raises(SecretMissing):
        build(settings_for(database, secret_file=named))
    named.parent.mkdir()
    named.write_text(SECRET, encoding="utf-8")
    with built(settings_for(database, secret_file=named)):
        assert not database.with_name("reviews.db.secret").exists()
    with built(settings_for(database, secret=SECRET)):
        pass


def test_the_secret_itself_goes_before_its_file(database: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "secret"
    wrong.write_text(OTHER_SECRET, encoding="utf-8")
    with built(settings_for(database, secret=SECRET, secret_file=wrong)):
        pass
    with pytest.raises(SecretWrong):
        build(settings_for(database, secret_file=wrong))


def test_many_processes_that_start_at_once_on_nothing_share_one_secret_and_one_ring(
    database: Path, interpreter: str
) -> None:
    program = """
import sys
from reviewinvite_core import Settings, build
from reviewinvite_core.testing.builders import a_shop, an_order_report
print("ready", flush=True)
sys.stdin.readline()
app = build(Settings(database_url=sys.argv[1], mail_url="recording:"))
app.shops.add(a_shop())
print(app.orders.report(app.shops.act_for("bakkerij-1"), an_order_report()).invite_id)
app.close()
"""
    ids = set(run_at_once([interpreter, "-c", program, f"sqlite:///{database}"] for _ in range(6)))
    assert len(ids) == 1


def test_a_copy_of_the_file_put_back_while_the_application_runs_is_used(database: Path, tmp_path: Path) -> None:
    with built(settings_for(database)) as app:
        app.shops.add(a_shop("before"))
        with (
            contextlib.closing(sqlite3.connect(database)) as source,
            contextlib.closing(sqlite3.connect(tmp_path / "copy")) as target,
        ):
            source.backup(target)
        for suffix in ("", "-wal", "-shm"):
            database.with_name(database.name + suffix).unlink(missing_ok=True)
        with pytest.raises(StorageUnavailable):
            app.shops.add(a_shop("lost"))
        with pytest.raises(StorageUnavailable):
            app.check_ready()
        shutil.move(tmp_path / "copy", database)
        app.shops.add(a_shop("after"))
        app.check_ready()
        assert [shop.site_id.text for shop in app.shops.list()] == ["after", "before"]


def test_a_storage_without_a_key_ring_is_not_ready(database: Path) -> None:
    with built(settings_for(database)) as app:
        app.check_ready()
        with contextlib.closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("DELETE FROM key_ring")
        with pytest.raises(StorageUnavailable):
            app.check_ready()


@pytest.mark.parametrize(
    "url",
    ["", "sqlite:", "sqlite://", "sqlite:///", "sqlite:file.db", "mysql:///x", "memory", "memory:x", "/a/path", "://"],
)
def test_an_unknown_database_url_is_refused(url: str) -> None:
    for use in (open_storage, lambda each: build(Settings(database_url=each, mail_url="recording:"))):
        with pytest.raises(ConfigurationError):
            use(url)


def test_each_database_url_opens_what_it_names(tmp_path: Path) -> None:
    assert isinstance(open_storage("memory:"), MemoryStorage)
    storage = open_storage(f"sqlite:///{tmp_path}/x.db")
    assert isinstance(storage, SqliteStorage)
    storage.close()
    before = Path.cwd()
    try:
        os.chdir(tmp_path)
        open_storage("sqlite:///relative.db").close()
    finally:
        os.chdir(before)
    assert (tmp_path / "relative.db").exists()


def test_a_database_that_cannot_be_made_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="correct database_url"):
        build(settings_for(tmp_path / "nowhere" / "x.db"))


@pytest.mark.parametrize("content", ["root:x:0:0:root:/root:/bin/bash\n" * 20, "x"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    file = tmp_path / "passwd"
    file.write_text(content)
    for use in (build, migrate_database, check_database):
        with pytest.raises(ConfigurationError, match="passwd is not a SQLite database"):
            use(settings_for(file))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"passwd": content}


def test_opening_the_file_again_does_not_lose_what_the_first_writes_after_another_process_ended(
    database: Path, interpreter: str
) -> None:
    program = f"from reviewinvite_core import *; build(Settings(database_url='sqlite:///{database}')).close()"
    with built(settings_for(database)) as first, built(settings_for(database)):
        subprocess.run([interpreter, "-c", program], check=True)
        first.shops.add(a_shop("written-later"))
        with contextlib.closing(sqlite3.connect(database)) as other:
            assert other.execute("SELECT site_id FROM shops").fetchall() == [("written-later",)]


def test_migrating_makes_the_database_and_says_what_it_did(database: Path) -> None:
    assert migrate_database(settings_for(database)) == [one.name for one in MIGRATIONS]
    assert migrate_database(settings_for(database)) == []
    assert migrate_database(Settings(database_url="memory:")) == []


def test_a_sound_database_has_no_problems_and_a_damaged_one_has(database: Path) -> None:
    with built(settings_for(database)):
        pass
    assert check_database(settings_for(database)) == []
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO api_keys VALUES ('key_1', 999, x'00', 'abcd', '', 0, NULL)")
    assert check_database(settings_for(database))


def test_a_wrong_secret_is_told_before_any_damage(database: Path) -> None:
    with built(settings_for(database, secret=SECRET)):
        pass
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO api_keys VALUES ('key_1', 999, x'00', 'abcd', '', 0, NULL)")
    with pytest.raises(SecretWrong):
        check_database(settings_for(database, secret=OTHER_SECRET))


def test_an_application_can_be_closed_twice_and_closes_its_mailer() -> None:
    class ClosingMailer(RecordingMailer):
        closed = 0

        async def close(self) -> None:
            self.closed += 1

    mailer = ClosingMailer()
    app = build(Settings(database_url="memory:"), mailer=mailer)
    app.close()
    assert mailer.closed == 1
    app.close()


def test_a_use_case_runs_as_a_unit_of_a_group_commit(database: Path) -> None:
    with built(settings_for(database)) as app:
        writer = group_commit_of(app)
        submitted = [submit(writer, unit_of(app, add_shop, a_shop(f"s-{number}"))) for number in range(10)]
        added = [accepted(each.result(60)) for each in submitted]
        assert [str(shop.site_id) for shop in added] == [f"s-{number}" for number in range(10)]
        writer.close()
        assert len(app.shops.list()) == 10


def test_the_front_door_stays_light(interpreter: str) -> None:
    heavy = {
        *("litestar", "uvicorn", "typer", "rich", "dns", "ssl", "publicsuffixlist", "jinja2", "structlog"),
        *("sqlite_utils", "cattrs"),
    }
    loaded = loaded_by(interpreter, "from reviewinvite_core import Settings, build")
    assert "reviewinvite_core.bootstrap.compose" in loaded
    assert heavy.isdisjoint(loaded)


def test_the_front_door_brings_neither_pytest_nor_the_suites(interpreter: str) -> None:
    loaded = loaded_by(interpreter, "from reviewinvite_core import *")
    assert [name for name in loaded if "pytest" in name or ".testing" in name] == []


def test_verifying_a_statement_loads_nothing_of_the_service(interpreter: str) -> None:
    loaded = loaded_by(interpreter, "from reviewinvite_core import verify_statement")
    assert "reviewinvite_core.domain.verifying" in loaded
    layers = tuple(f"reviewinvite_core.{layer}" for layer in ("usecases", "adapters", "bootstrap", "ports"))
    assert [name for name in loaded if name.startswith(layers)] == []


def loaded_by(interpreter: str, statement: str) -> list[str]:
    """Return the names of the modules that a statement loads in a new interpreter."""
    program = f"{statement}; import sys; print(*sys.modules)"
    return subprocess.run([interpreter, "-c", program], check=True, capture_output=True, text=True).stdout.split()
