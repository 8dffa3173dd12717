"""Crash harnesses with a mail server, and processes that fork workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests import postgres

pytest.register_assert_rewrite("tests.core.delivery.crash_harness")

from tests.core.delivery.crash_harness import CrashHarness, MakeCrashHarness, WorkerForkServer, worker_fork_servers  # noqa: E402
from tests.smtp_server import smtp_server  # noqa: E402


@pytest.fixture(scope="session")
def fork_servers() -> Iterator[Sequence[WorkerForkServer]]:
    """Four processes that fork workers; each starts when it is first used."""
    with worker_fork_servers(4) as servers:
        yield servers


@pytest.fixture(scope="module")
def reused_postgres_url(postgres_server: str) -> Iterator[str]:
    """A database on PostgreSQL that the tests of a file use one after the other, since creating one takes long."""
    with postgres.database(postgres_server) as url:
        yield url


@pytest.fixture
def make_crash_harness(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MakeCrashHarness]:
    """Makes a harness on a SQLite file, or on an empty database of PostgreSQL."""
    with ExitStack() as stack:

        def make(
            *, engine: str = "sqlite", faults: Sequence[dict[str, object]] = (), connections: int = 4
        ) -> CrashHarness:
            server = stack.enter_context(smtp_server(tmp_path / "log", faults, keep=False))
            url = None
            if engine == "postgres":
                url = request.getfixturevalue("reused_postgres_url")
                postgres.empty(url)
            harness = CrashHarness(tmp_path, server, database_url=url, connections=connections)
            stack.callback(harness.close)
            return harness

        yield make
