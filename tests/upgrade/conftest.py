"""Databases of earlier editions, brought to this release's schema, and one of this tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import postgres
from tests.data.editions import DATABASE, DUMP, Edition, copied_sqlite, every_edition, loaded_postgres
from tests.data.make import dump, filled, new_settings
from tests.upgrade.database import Present

from reviewinvite_core import Settings
from reviewinvite_core.admin import migrate_database


@pytest.fixture(params=every_edition(), ids=lambda edition: edition.name)
def edition(request: pytest.FixtureRequest) -> Edition:
    """The data of each earlier edition."""
    found = request.param
    assert isinstance(found, Edition)
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def migrated(request: pytest.FixtureRequest, edition: Edition, tmp_path: Path) -> Settings:
    """A copy of the edition's database on each engine, migrated."""
    if request.param == "sqlite":
        settings = copied_sqlite(edition.folder, tmp_path)
    else:
        settings = loaded_postgres(edition.folder, tmp_path, request.getfixturevalue("postgres_url"))
    migrate_database(settings)
    return settings


@pytest.fixture(scope="module")
def made_file(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """A SQLite database made by this tree, with something in every table."""
    folder = tmp_path_factory.mktemp("sqlite")
    return filled(new_settings(f"sqlite:///{folder / DATABASE}", folder), folder)


@pytest.fixture(scope="module")
def made_dump(tmp_path_factory: pytest.TempPathFactory, postgres_server: str) -> Edition:
    """The same as a dump of a PostgreSQL database."""
    folder = tmp_path_factory.mktemp("postgres")
    with postgres.database(postgres_server) as url:
        made = filled(new_settings(url, folder), folder)
        (folder / DUMP).write_bytes(dump(url))
    return made


@pytest.fixture(params=["sqlite", "postgres"])
def present(request: pytest.FixtureRequest, tmp_path: Path) -> Present:
    """A copy of it on each engine."""
    if request.param == "sqlite":
        made: Edition = request.getfixturevalue("made_file")
        settings = copied_sqlite(made.folder, tmp_path)
    else:
        made = request.getfixturevalue("made_dump")
        settings = loaded_postgres(made.folder, tmp_path, request.getfixturevalue("postgres_url"))
    return Present(settings, made)
