"""The storage in memory keeps the contract that the databases keep."""

from collections.abc import Iterator

import pytest
from tests.contracts.storage import StorageContract

from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.ports import Storage


class TestMemoryStorage(StorageContract):
    @pytest.fixture
    def storage(self) -> Iterator[Storage]:
        storage = MemoryStorage()
        yield storage
        storage.close()
