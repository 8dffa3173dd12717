"""Disks that are full, and folders that nobody may write to."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.tools import unavailable


@contextmanager
def small_disk(folder: Path, *, megabytes: int = 16) -> Iterator[Path]:
    """A file system of its own in this folder."""
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("cannot exist here: only root can mount a file system")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        unavailable("mount", "this machine does not let root mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, *, leaving: int = 0) -> Path:
    """Fill a file system up to the last `leaving` bytes; return the file that fills it."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
        file.truncate(max(0, file.tell() - leaving))
    return ballast


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """Nobody may write in the folder; for root, whom no permission stops, by a mount that forbids it."""
    if os.geteuid() != 0:
        folder.chmod(0o500)
        yield
        folder.chmod(0o700)
        return
    if subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True, check=False).returncode:
        unavailable("mount", "this machine does not let root mount a file system")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
