"""Which tests of HTTP run on more than one storage.

A server in this process keeps all in memory, processes of their own share a SQLite file: what goes over the wire is
the same on every storage, and storages are compared by the suites in `tests/contracts`. The files below are the
exceptions: what they assert can depend on the storage.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest

STORAGES: Mapping[str, tuple[str, ...]] = {
    "service": ("memory", "sqlite", "postgres"),
    "database_url": ("memory", "sqlite", "postgres"),
    "deployment": ("sqlite", "postgres"),  # on PostgreSQL in the full run
}
"""The storages of each fixture that has a database, for the files that need more than one."""

LOGS_FAILURES = "what a failing engine says of a statement must not reach logs or pages"
MANY_STORAGES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "test_concurrency.py": (
        ("service", "deployment"),
        "each engine orders and locks simultaneous requests its own way",
    ),
    "test_delivery.py": (("deployment",), "a worker claims what is due by the engine's own locks"),
    "test_merchant_pages.py": (("database_url",), "commits meet cursors in the engine's order"),
    "test_orders.py": (("deployment",), LOGS_FAILURES),
    "test_readiness.py": (("database_url",), "readyz names the engine and its connections"),
    "test_review.py": (("deployment",), LOGS_FAILURES),
    "test_rotated_secret.py": (("deployment",), "the secret is in a file beside SQLite, in the environment otherwise"),
    "test_shop_page.py": (("deployment",), LOGS_FAILURES),
    "test_snippet_concurrency.py": (("deployment",), "as for test_concurrency.py"),
    "test_unsubscribe.py": (("deployment",), LOGS_FAILURES),
    "test_views.py": (("service", "deployment"), "views are counted by the engine's own locks"),
}
"""By file: the fixtures that run on all their storages, and why."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test of these files once on each storage."""
    fixtures, _ = MANY_STORAGES.get(metafunc.definition.path.name, ((), ""))
    for fixture in fixtures:
        if fixture in metafunc.fixturenames:
            scope: Literal["module", "function"] = "module" if fixture == "service" else "function"
            metafunc.parametrize(fixture, STORAGES[fixture], indirect=True, scope=scope)


def address_of(request: pytest.FixtureRequest, folder: Path, postgres_fixture: str, *, default: str = "memory") -> str:
    """Return the address of the storage that a fixture is parametrized with."""
    match getattr(request, "param", default):
        case "memory":
            return "memory:"
        case "postgres":
            url: str = request.getfixturevalue(postgres_fixture)
            return url
        case _:
            return f"sqlite:///{folder / 'reviewinvite.db'}"
