"""Durable files that appear whole or not at all; shared by several adapters."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def fsync_path(path: Path) -> None:
    """Wait until a file, or the entries of a directory, are on disk.

    Raises: `OSError`.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def create_exclusively(path: Path, content: bytes, *, draft: Path) -> None:
    """Create a durable file that only its owner can read, unless the file exists.

    The content is written to `draft` first. So if several processes create the file at once, all of them see the same
    complete file.

    Raises: `OSError`.
    """
    try:
        write_new(draft, content)
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink()
    fsync_path(path.parent)


def write_new(path: Path, content: bytes, *, like: os.stat_result | None = None) -> None:
    """Create a durable file that only its owner can read; with `like`, whoever can read a file with that status.

    Raises: `FileExistsError`, `OSError`.
    """
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        if like is not None:
            made = os.fstat(file.fileno())
            if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
                os.fchown(file.fileno(), like.st_uid, like.st_gid)
            os.fchmod(file.fileno(), like.st_mode & 0o777)
        os.fsync(file.fileno())


def os_error_text(error: OSError) -> str:
    """Return the cause in plain words, without the number: `is a directory`."""
    return (error.strerror or type(error).__name__).lower()
