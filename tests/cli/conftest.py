"""Installations for the command's tests: one with a shop that tests share, and empty ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.cli.command import Installation


@pytest.fixture
def empty(tmp_path: Path) -> Installation:
    """A folder without anything in it."""
    folder = tmp_path / "installation"
    folder.mkdir()
    return Installation(folder)


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database and the shop `molen` in it, to be copied: that is quicker than a command."""
    folder = tmp_path_factory.mktemp("pattern")
    Installation(folder).ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    return folder


@pytest.fixture(scope="module")
def shared(pattern: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A database with the shop `molen`, for the tests of one file that do not mind one another."""
    return Installation(shutil.copytree(pattern, tmp_path_factory.mktemp("shared") / "installation"))


@pytest.fixture
def molen(pattern: Path, tmp_path: Path) -> Installation:
    """A database of its own with the shop `molen`."""
    return Installation(shutil.copytree(pattern, tmp_path / "installation"))
