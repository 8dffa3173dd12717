"""Two shops with hosts to verify, on each storage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.core.usecases.domains.domain_harness import DomainHarness

from reviewinvite_core.ports import Storage


@pytest.fixture
def harness(each_storage: Storage) -> Iterator[DomainHarness]:
    made = DomainHarness(each_storage)
    yield made
    made.app.close()


@pytest.fixture
def concurrent_harness(concurrent_storage: Storage) -> Iterator[DomainHarness]:
    made = DomainHarness(concurrent_storage)
    yield made
    made.app.close()
