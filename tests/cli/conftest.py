"""Installations for the command's tests: one with a shop that tests share, and empty ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import Installation


@pytest.fixture
def empty(tmp_path: Path) -> Installation:
    """A folder without anything in it."""
    folder = tmp_path / "installation"
    folder.mkdir()
    return Installation(folder)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A database with the shop `molen`, for the tests of one file that do not mind one another."""
    installation = Installation(tmp_path_factory.mktemp("shared"))
    installation.ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    return installation


@pytest.fixture
def molen(empty: Installation) -> Installation:
    """A new database with the shop `molen`."""
    empty.ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    return empty
