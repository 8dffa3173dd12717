"""The hosts that deliver, and the high-water mark of this one (ADR-20)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from reviewinvite_core.domain.handovers import Ahead, DeliveryHost, HandOver, HighWaterMark, LetOut


class DeliveryHosts(Protocol):
    """The hosts that deliver, each with a hand-over mark of its own (ADR-20)."""

    def every(self) -> Sequence[DeliveryHost]:
        """All of them, by name."""

    def with_all_ahead(self, host: str) -> Sequence[DeliveryHost]:
        """This host, if it is known, and all whose mark was found to be ahead."""

    def register(self, host: str) -> None:
        """Store a host that has let nothing out; one that is known stays as it is."""

    def raise_fence(self, host: str) -> int:
        """Add one to the number of a host that is known; gives the new number."""

    def note_ahead(self, ahead: Ahead) -> None:
        """Note that a host's mark is ahead, and of what; one that is not known is registered with the number 0."""

    def catch_up(self, host: str, number: int) -> None:
        """Raise the number of a host that is known, if it is lower; it is not ahead any more."""


class HighWaterMarkStore(Protocol):
    """What this host has let out, kept apart from the database, so that an older copy of it is noticed (ADR-20)."""

    def read(self) -> HighWaterMark | None:
        """The mark as it stands, of any process on this host; None if there is none.

        Raises: `ConfigurationError` if it is damaged or cannot be read.
        """

    def make(self) -> HighWaterMark:
        """The mark; a new one, with a name for the host that no other has, where there is none.

        Raises: `ConfigurationError`.
        """

    def recall(self) -> LetOut:
        """The mark as it stands, with the hand-overs that it names.

        Raises: `ConfigurationError` if it is damaged, has gone or cannot be read.
        """

    def advance(self, hand_over: HandOver) -> None:
        """Raise the mark to this hand-over's number, and name it; durable on return. Those who wait share the disk.

        Raises: `HighWaterMarkUnwritten` if it is not known to be durable.
        """


class HighWaterMarkUnwritten(Exception):
    """The hand-over mark could not be written: nothing may be let out. Its words say which mark, and why."""
