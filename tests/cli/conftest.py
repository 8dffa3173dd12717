"""Installations for the command's tests: one with a shop that tests share, and empty ones.

Their commands run in this process; `as_process` is for what needs another.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.cli.command import AsProcess, ProcessInstallation
from tests.cli.harness import Installation


@pytest.fixture
def empty(tmp_path: Path) -> Installation:
    """Return an installation in an empty folder."""
    folder = tmp_path / "installation"
    folder.mkdir()
    return Installation(folder)


@pytest.fixture(scope="session")
def one_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a database and the shop `molen` in it, to be copied: that is quicker than a command."""
    folder = tmp_path_factory.mktemp("one_shop")
    Installation(folder).ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    return folder


@pytest.fixture(scope="module")
def shared(one_shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Return a database with the shop `molen`, for the tests of one file that do not disturb each other."""
    return Installation(shutil.copytree(one_shop, tmp_path_factory.mktemp("shared") / "installation"))


@pytest.fixture
def molen(one_shop: Path, tmp_path: Path) -> Installation:
    """Return a new database with the shop `molen`."""
    return Installation(shutil.copytree(one_shop, tmp_path / "installation"))


@pytest.fixture(scope="session")
def as_process() -> AsProcess:
    """Return what turns an installation into one whose commands run in processes of their own."""
    return ProcessInstallation.of
