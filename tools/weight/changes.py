"""How many files a feature touched."""

from __future__ import annotations

import subprocess
from pathlib import Path
from statistics import median

import attrs

FEATURES = 20


@attrs.frozen
class Touched:
    """Files of `src` that commits changed."""

    median: float
    most: int


def files_touched(root: Path) -> Touched:
    """Return the numbers of the last twenty commits that changed both `src` and a feature."""
    log = subprocess.run(
        ["git", "log", "--no-merges", "--format=%x00", "--name-only", "--", "src", "features/*.feature"],  # noqa: S607
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    counts = []
    for commit in log.stdout.split("\0")[1:]:
        names = commit.split()
        in_source = [name for name in names if name.startswith("src/")]
        if in_source and len(in_source) < len(names):
            counts.append(len(in_source))
    last = counts[:FEATURES] or [0]
    return Touched(median(last), max(last))
