"""A hand-over mark as the first edition wrote it: one line, which names nothing."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from reviewinvite_core.domain.timing import to_microseconds


def write_first_edition(path: Path, host: str, number: int, horizon: datetime) -> None:
    """Write the mark of a host that has let out this many, scheduled up to `horizon`."""
    content = f"reviewinvite-mark 1 {host} {number:020} {to_microseconds(horizon):020} ".encode()
    path.write_bytes(content + hashlib.blake2b(content, digest_size=8).hexdigest().encode() + b"\n")
