"""Folders for programs of the operating system."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Return an empty folder with a short path: that of a Unix socket may have 107 characters."""
    with tempfile.TemporaryDirectory(prefix="deploy-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
