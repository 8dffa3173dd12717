"""Databases of earlier editions, brought to this release's schema."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.data.editions import Edition, copied_sqlite, every_edition, loaded_postgres

from reviewinvite_core import Settings, migrate_database


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
