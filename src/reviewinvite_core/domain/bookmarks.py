"""Places in lists of reviews, from which a list is read on: they stay where they are, whatever is added before."""

from __future__ import annotations

import re
import uuid
from datetime import datetime

import attrs

from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_TEXT = re.compile(r"([0-9a-f]{1,14})-([0-9a-f]{32})", re.ASCII)


@attrs.frozen
class Bookmark:
    """A place in a list of reviews: an instant, and the review at it."""

    at: datetime
    review_id: str

    @classmethod
    def parse(cls, text: str) -> Bookmark | None:
        """The bookmark of this text; None for any other."""
        found = _TEXT.fullmatch(text)
        return cls(from_microseconds(int(found[1], 16)), str(uuid.UUID(found[2]))) if found else None

    @classmethod
    def since(cls, at: datetime) -> Bookmark:
        """The place just before all that is at this instant or later."""
        return cls(at, str(uuid.UUID(int=0)))

    @property
    def text(self) -> str:
        """How it is written in an address."""
        return f"{to_microseconds(self.at):x}-{self.review_id.replace('-', '')}"
