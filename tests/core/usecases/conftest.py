"""Storages that use cases run on, and an application on each of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.core.usecases.harness import AppHarness
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.ports import Storage

STORAGES = ("memory", "sqlite", "postgres")


@pytest.fixture(params=STORAGES)
def each_storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    """A new and empty storage; by default in memory only, and of all three kinds in the full run."""
    with _opened(request, tmp_path) as storage:
        yield storage


@pytest.fixture(params=STORAGES)
def concurrent_storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    """A new and empty storage of all three kinds in every run but the quick one.

    It is for tests whose outcome depends on the storage: on how transactions run at the same time, or as one batch.
    """
    with _opened(request, tmp_path) as storage:
        yield storage


@contextmanager
def _opened(request: pytest.FixtureRequest, folder: Path) -> Iterator[Storage]:
    storage: Storage
    if request.param == "memory":
        storage = MemoryStorage()
    elif request.param == "sqlite":
        storage = SqliteStorage(folder / "test.db")
    else:
        storage = PostgresStorage(request.getfixturevalue("postgres_url"), busy_seconds=TIMEOUT_SECONDS)
    try:
        yield storage
    finally:
        storage.close()


@pytest.fixture
def harness(each_storage: Storage) -> AppHarness:
    """An application with one shop on each storage."""
    return AppHarness(storage=each_storage)


@pytest.fixture
def concurrent_harness(concurrent_storage: Storage) -> AppHarness:
    """An application with one shop on each storage, for tests whose outcome depends on the storage."""
    return AppHarness(storage=concurrent_storage)
