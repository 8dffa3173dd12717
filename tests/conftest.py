"""What all tests share."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from tests import postgres

# how long an example takes says how busy the machine is, and nothing about the code
settings.register_profile("soak", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("checks", settings.get_profile("soak"), derandomize=True)


def pytest_configure(config: pytest.Config) -> None:
    """The checks try the same examples in every run, as far as Hypothesis can; a soak tries others each time."""
    settings.load_profile("soak" if config.option.markexpr == "soak" else "checks")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A new and empty database."""
    with postgres.database(postgres_server) as url:
        yield url
