"""Storage of the keys that sign statements."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.signing import SigningKey


class SigningKeys(Protocol):
    """Keys that sign statements; at most one of them is signing."""

    def every(self) -> Sequence[SigningKey]:
        """Return all keys, retired and compromised ones included, by time of announcement."""

    def in_use(self, retired_after: datetime) -> Sequence[SigningKey]:
        """Return the keys announced or signing, and those retired after this instant, by time of announcement."""

    def add(self, key: SigningKey) -> bool:
        """Store a new key and return True; refuse a signing key if another key is signing.

        If another unit of work is about to store a signing key, wait for it to end.
        """

    def change(self, before: SigningKey, after: SigningKey) -> bool:
        """Replace `before` by `after` if the stored state is still that of `before`; return whether it was replaced."""
