"""Houses with a mail server, and processes that fork workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests import postgres

pytest.register_assert_rewrite("tests.core.delivery.house")

from tests.core.delivery.house import House, Nursery, nurseries  # noqa: E402 - after the rewriting was asked for
from tests.smtp_server import smtp_server  # noqa: E402

MakeHouse = Callable[..., House]


@pytest.fixture(scope="module")
def workers() -> Iterator[Sequence[Nursery]]:
    """Four processes that fork workers."""
    with nurseries(4) as made:
        yield made


@pytest.fixture(scope="module")
def used_postgres_url(postgres_server: str) -> Iterator[str]:
    """A database on PostgreSQL that the tests of a file use one after the other; to make one takes long."""
    with postgres.database(postgres_server) as url:
        yield url


@pytest.fixture
def make_house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MakeHouse]:
    """Makes a house on a SQLite file, or on an empty database of PostgreSQL."""
    with ExitStack() as stack:

        def make(*, engine: str = "sqlite", faults: Sequence[dict[str, object]] = (), connections: int = 4) -> House:
            server = stack.enter_context(smtp_server(tmp_path / "log", faults, keep=False))
            url = None
            if engine == "postgres":
                url = request.getfixturevalue("used_postgres_url")
                postgres.empty(url)
            house = House(tmp_path, server, database_url=url, connections=connections)
            stack.callback(house.close)
            return house

        yield make
