"""What the tests of all adapters share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def sqlite_folder(tmp_path: Path) -> Path:
    """An empty folder for a SQLite file; the tests that use it are marked by that."""
    return tmp_path
