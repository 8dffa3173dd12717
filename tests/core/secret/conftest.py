"""Installations whose secret is changed, and processes that crash while they change it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.core.secret.rotation_harness")

from tests.core.secret.crashing_rotation import RotationForkServer, rotation_fork_server  # noqa: E402
from tests.core.secret.rotation_harness import Installation, on_sqlite, with_an_order  # noqa: E402


@pytest.fixture(scope="session")
def rotation_server() -> Iterator[RotationForkServer]:
    """A program that forks processes which crash."""
    with rotation_fork_server() as server:
        yield server


@pytest.fixture
def sqlite_folder(tmp_path: Path) -> Path:
    """The folder of a SQLite file."""
    return tmp_path / "installation"


@pytest.fixture
def installation(sqlite_folder: Path) -> Installation:
    """An installation on a SQLite file, with one order."""
    return with_an_order(on_sqlite(sqlite_folder))
