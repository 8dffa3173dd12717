"""Locks of units of work: 64-bit numbers that keep units with the same number from running at the same time (ADR-13).

Two keys very rarely share a number; their units then wait for each other. Locks are never stored.
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
    MEMBER = "member"
    MESSAGE = "message"
    ORDER = "order"
    RECIPIENT = "recipient"
    REVIEWS = "reviews"
    ROLE = "role"
    SHOP = "shop"
    VIEWS = "views"


def lock_id(kind: LockKind, key: str = "") -> int:
    """Return the signed 64-bit number that storage locks for this key."""
    content = f"{kind}\n{key}".encode(errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big", signed=True)
