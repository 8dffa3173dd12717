"""Houses with a mail server, and processes that fork workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests import postgres
from tests.core.delivery.house import House, Nursery, nurseries
from tests.smtp_server import smtp_server

MakeHouse = Callable[..., House]


@pytest.fixture(scope="module")
def workers() -> Iterator[Sequence[Nursery]]:
    """Four processes that fork workers."""
    with nurseries(4) as made:
        yield made


@pytest.fixture
def make_house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MakeHouse]:
    """Makes a house on a SQLite file, or on a new database of PostgreSQL."""
    with ExitStack() as stack:

        def make(*, engine: str = "sqlite", faults: Sequence[dict[str, object]] = (), connections: int = 4) -> House:
            server = stack.enter_context(smtp_server(tmp_path / "log", faults, keep=False))
            url = None
            if engine == "postgres":
                url = stack.enter_context(postgres.database(request.getfixturevalue("postgres_server")))
            house = House(tmp_path, server, database_url=url, connections=connections)
            stack.callback(house.close)
            return house

        yield make
