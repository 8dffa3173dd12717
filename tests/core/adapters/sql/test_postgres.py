"""Storage in PostgreSQL: the contract, and what a server does to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from reviewinvite_core.adapters.sql.postgres import PostgresStorage
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.storage_contract import StorageContract


class TestPostgresStorage(StorageContract):
    @pytest.fixture
    def storage(self, postgres_url: str) -> Iterator[Storage]:
        storage = PostgresStorage(postgres_url)
        yield storage
        storage.close()

    @pytest.fixture
    def lose_transaction(self) -> Callable[[Store], object]:
        def terminate(store: Store) -> None:
            store._connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")  # type: ignore[attr-defined]

        return terminate
