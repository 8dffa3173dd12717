"""The last release's own code: built from the commit that made its data, and run with this interpreter's packages."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.harness import Ended, Installation
from tests.waiting import TIMEOUT_SECONDS

ROOT = Path(__file__).parents[2]


def commit() -> str:
    """Return the commit of the last release, which tests/data/README.md names."""
    (found,) = re.findall(r"made with the source of commit `([0-9a-f]+)`", (ROOT / "tests/data/README.md").read_text())
    return str(found)


def unpacked(folder: Path) -> Path:
    """Put its source and its pages into a folder, and return where the source is.

    Without the repository's history skip, or fail where all tools are required.
    """
    archived = subprocess.run(["git", "archive", commit(), "src", "docs"], cwd=ROOT, capture_output=True, check=False)
    if archived.returncode:
        message = f"commit {commit()} of the last release is not in this clone: {archived.stderr.decode()}"
        pytest.fail(message) if os.environ.get("REQUIRE_TOOLS") == "1" else pytest.skip(message)
    with tarfile.open(fileobj=io.BytesIO(archived.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


class LastRelease:
    """The last release on the installation of this release; `source` is where it was unpacked."""

    def __init__(self, source: Path, installation: Installation) -> None:
        self._source = source
        self._installation = installation

    def run(self, *arguments: str, code: int | None = 0) -> Ended:
        """Run one of its commands to its end; the exit code must be `code`, unless that is None."""
        environment = self._installation.environment({"PYTHONPATH": str(self._source), "PYTHONWARNINGS": "ignore"})
        done = subprocess.run(
            [sys.executable, "-P", "-m", "reviewinvite_cli", *arguments],
            cwd=self._installation.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        assert code in (None, done.returncode), (arguments, done)
        return Ended(done.returncode, done.stdout, done.stderr)

    def each(self, commands: Sequence[Sequence[str]]) -> None:
        """Run these commands of a page, whatever they end with."""
        for command in commands:
            self.run(*command, code=None)
