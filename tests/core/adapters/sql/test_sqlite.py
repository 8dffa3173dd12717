from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewinvite_core.adapters.sql.sqlite import SqliteStorage
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.storage_contract import StorageContract


class TestSqliteStorage(StorageContract):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        storage = SqliteStorage(tmp_path / "test.db")
        yield storage
        storage.close()

    @pytest.fixture
    def lose_transaction(self):
        return fill_up


def fill_up(store: Store) -> None:
    """A full database file: SQLite rolls all of the transaction back by itself."""
    connection = store._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    store.keep_key_ring(bytes(1_000_000))
