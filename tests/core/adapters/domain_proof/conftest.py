"""A lying name server, and an authority for throw-away certificates."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.core.adapters.domain_proof import lying_dns
from tests.core.adapters.domain_proof.lying_dns import LyingDns
from tests.core.adapters.domain_proof.web_host import Authority


@pytest.fixture
def names() -> Iterator[LyingDns]:
    """A name server that knows nothing until it is told."""
    with lying_dns.running() as server:
        yield server


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Signs certificates."""
    return Authority(tmp_path_factory.mktemp("authority"))
