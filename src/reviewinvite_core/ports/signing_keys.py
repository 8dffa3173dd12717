"""Where the keys that sign statements are stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.signing import SigningKey


class SigningKeys(Protocol):
    """The keys that statements are signed with; at most one of them signs."""

    def every(self) -> Sequence[SigningKey]:
        """All there ever were, by when they were announced."""

    def in_use(self, retired_after: datetime) -> Sequence[SigningKey]:
        """Those that are announced or sign, and those retired after this instant, by when they were announced."""

    def add(self, key: SigningKey) -> bool:
        """Store a new key; not one that is to sign where another does. Whether it was stored.

        Where another unit of work is about to store one that signs, its end is waited for.
        """

    def change(self, before: SigningKey, after: SigningKey) -> bool:
        """Replace `before` by `after`, if its state is still that of `before`."""
