"""Cursors into lists; a cursor stays valid when items are added before its position."""

from __future__ import annotations

import re
import uuid
from datetime import datetime

import attrs

from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_TEXT = re.compile(r"([0-9a-f]{1,14})-([0-9a-f]{32})", re.ASCII)


@attrs.frozen
class Bookmark:
    """Position in a list of reviews: an instant and the id of a review at that instant.

    In the list of suppressions, the hash of the address takes the place of the id.
    """

    at: datetime
    review_id: str

    @classmethod
    def parse(cls, text: str) -> Bookmark | None:
        """Parse a bookmark; return None for any other text."""
        found = _TEXT.fullmatch(text)
        return cls(from_microseconds(int(found[1], 16)), str(uuid.UUID(found[2]))) if found else None

    @classmethod
    def since(cls, at: datetime) -> Bookmark:
        """Return the position just before everything at or after this instant."""
        return cls(at, str(uuid.UUID(int=0)))

    @property
    def text(self) -> str:
        """The bookmark as it appears in a URL."""
        return f"{to_microseconds(self.at):x}-{self.review_id.replace('-', '')}"
