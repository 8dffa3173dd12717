"""A scripted name server, and an authority for throw-away certificates."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.core.adapters.domain_verification import dns_server
from tests.core.adapters.domain_verification.dns_server import DnsServer
from tests.core.adapters.domain_verification.web_host import CertificateAuthority


@pytest.fixture
def names() -> Iterator[DnsServer]:
    """A name server without records."""
    with dns_server.running() as server:
        yield server


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> CertificateAuthority:
    """Signs certificates."""
    return CertificateAuthority(tmp_path_factory.mktemp("authority"))
