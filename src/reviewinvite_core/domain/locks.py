"""The locks of units of work: 64-bit numbers by which what belongs together excludes the rest of it (ADR-13).

Two keys hardly ever share a number; where they do, they wait for each other. Locks are never stored.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum


class LockKind(StrEnum):
    """What is locked. A kind is a namespace: equal keys of two kinds have different locks."""

    ADDRESS = "address"
    API_KEY = "key"
    CLIENT = "client"
    HOST = "host"
    INVITATION = "invitation"
    LINK = "link"
    ORDER = "order"
    REVIEWS = "reviews"
    SHOP = "shop"
    VIEWS = "views"


def lock_id(kind: LockKind, key: str = "") -> int:
    """Return the number, signed and of 64 bits, by which storage locks this key."""
    content = f"{kind}\n{key}".encode(errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big", signed=True)
