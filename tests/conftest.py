"""What all tests share."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from tests import postgres

# how long an example takes says how busy the machine is, and nothing about the code
settings.register_profile("reviewinvite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("reviewinvite")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A new and empty database."""
    with postgres.database(postgres_server) as url:
        yield url
