"""How an invitation becomes a message, and how a message is handed over (ADR-7)."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import attrs


@attrs.frozen(kw_only=True)
class Letter:
    """What an invitation's e-mail says, and to whom."""

    invite_id: str
    recipient: str = attrs.field(repr=False)
    shop_name: str
    order_number: str | None
    reply_to: str | None = None
    language: str
    review_url: str = attrs.field(repr=False)
    unsubscribe_url: str = attrs.field(repr=False)
    written_at: datetime


@attrs.frozen(kw_only=True)
class Message:
    """An e-mail ready to be handed over: its envelope, and its RFC 5322 bytes with CRLF line ends."""

    message_id: str
    sender: str
    recipient: str = attrs.field(repr=False)
    content: bytes = attrs.field(repr=False)


class NotRenderable(Exception):
    """A letter that cannot be made into a message."""


class Renderer(Protocol):
    """Turns letters into messages."""

    def render(self, letter: Letter) -> Message:
        """The message for this letter.

        Raises: `NotRenderable`.
        """


@attrs.frozen
class Accepted:
    """The message is the mail server's now."""

    reply: str | None = None


@attrs.frozen
class RefusedForNow:
    """A definite answer that the message was not taken, but may be later; `reply` holds status codes only."""

    reply: str | None = None


@attrs.frozen
class Refused:
    """A definite answer that the message will never be taken; `reply` holds status codes only."""

    reply: str | None = None


@attrs.frozen
class Unreachable:
    """The connection could not be made or broke before the end of the message: it was certainly not taken.

    `cause` is the name of the exception's class, never its text, which may hold an address.
    """

    cause: str | None = None


@attrs.frozen
class AnswerLost:
    """The end of the message was transmitted and no answer came: it may or may not have been taken (ADR-7)."""


class Staged(Protocol):
    """A message of which everything but the end is transmitted: nothing is sent yet."""

    def commit(self) -> Accepted | RefusedForNow | Refused | AnswerLost:
        """Transmit the end, and wait for the answer. Once only; after it, the message may be out."""

    def abandon(self) -> None:
        """Let go without the end: the message is certainly not sent."""


class Mailer(Protocol):
    """Hands messages over, in two phases with the fence between them (ADR-7), for any number of threads at once."""

    def stage(self, message: Message) -> Staged | RefusedForNow | Refused | Unreachable:
        """Transmit all but the end of a message."""

    def close(self) -> None:
        """Let go of connections; idempotent."""
