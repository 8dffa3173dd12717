"""The data of earlier editions: where they are, and how a test gets a copy that it may change."""

from __future__ import annotations

import json
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs
import psycopg
from tests.data.contents import Given
from tests.data.installation import settings_for

from reviewinvite_core import Settings

FOLDER = Path(__file__).parent
DATABASE, DUMP, SECRET, MARK, RECORD = (
    *("reviewinvite.db", "reviewinvite.sql"),
    *("reviewinvite.secret", "reviewinvite.mark", "answers.json"),
)


@attrs.frozen(kw_only=True)
class Edition:
    """The data of one edition, and what it answered when it was made; `at` is what its clock showed then."""

    folder: Path
    at: datetime
    given: Given
    answers: Any
    afterwards: Any

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name


def every_edition() -> list[Edition]:
    """Return all that are recorded, by name."""
    return [read(record.parent) for record in sorted(FOLDER.glob(f"*/{RECORD}"))]


def read(folder: Path) -> Edition:
    """Return what is recorded in a folder."""
    record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    return Edition(
        folder=folder,
        at=datetime.fromisoformat(record["at"]),
        given=Given(**record["given"]),
        answers=record["answers"],
        afterwards=record["afterwards"],
    )


def write(edition: Edition) -> None:
    """Record what an edition answered."""
    record = {
        "at": edition.at.isoformat(),
        "given": attrs.asdict(edition.given),
        "answers": edition.answers,
        "afterwards": edition.afterwards,
    }
    text = json.dumps(record, ensure_ascii=False, indent=1)
    (edition.folder / RECORD).write_text(f"{text}\n", encoding="utf-8")


def copied_sqlite(folder: Path, to: Path) -> Settings:
    """Copy a SQLite database with its secret and mark, and return the settings that open the copy."""
    for name in (DATABASE, SECRET, MARK):
        shutil.copyfile(folder / name, to / name)
    return settings_for(f"sqlite:///{to / DATABASE}", to)


def loaded_postgres(folder: Path, to: Path, url: str) -> Settings:
    """Load a dump into an empty PostgreSQL database, and return the settings that open it."""
    for name in (SECRET, MARK):
        shutil.copyfile(folder / name, to / name)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((folder / DUMP).read_bytes())
    return settings_for(url, to)
