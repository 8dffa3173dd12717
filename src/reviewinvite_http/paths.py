"""What a request asks for, as the router takes it: what else depends on the path must not take it otherwise."""

from __future__ import annotations

import re

_SLASHES = re.compile("/{2,}")


def as_routed(path: str) -> str:
    """The path with one slash in place of several that follow one another."""
    return _SLASHES.sub("/", path)
