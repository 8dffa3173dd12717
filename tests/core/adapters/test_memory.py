"""The storage in memory keeps the contract that the databases keep."""

from collections.abc import Iterator

import pytest

from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.storage_contract import StorageContract


class TestMemoryStorage(StorageContract):
    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        storage = MemoryStorage()
        yield storage
        storage.close()
