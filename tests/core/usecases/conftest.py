"""Every storage that use cases run on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.postgres import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite import SqliteStorage
from reviewinvite_core.ports import Storage

PATIENCE_SECONDS = 60.0  # many threads at once wait for each other, and longer the busier the machine is


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def each_storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    """Storage in memory, in a SQLite file and on PostgreSQL, new and empty."""
    storage: Storage
    if request.param == "memory":
        storage = MemoryStorage()
    elif request.param == "sqlite":
        storage = SqliteStorage(tmp_path / "test.db")
    else:
        storage = PostgresStorage(request.getfixturevalue("postgres_url"), busy_seconds=PATIENCE_SECONDS)
    yield storage
    storage.close()
