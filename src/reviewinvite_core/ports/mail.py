"""Render invitations and notices as e-mails, and hand these over (ADR-7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

import attrs

from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.notices import NoticeKind


@attrs.frozen(kw_only=True)
class Letter:
    """Content and recipient of an invitation's e-mail."""

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
class NoticeLetter:
    """Content and recipient of a notice's e-mail; `values` are the texts that its kind inserts."""

    message_id: str
    kind: NoticeKind
    recipient: str = attrs.field(repr=False)
    language: Language
    values: Mapping[str, str] = attrs.field(repr=False)
    written_at: datetime


@attrs.frozen(kw_only=True)
class Message:
    """An e-mail ready to be handed over: its envelope, and its RFC 5322 content with CRLF line ends."""

    message_id: str
    sender: str
    recipient: str = attrs.field(repr=False)
    content: bytes = attrs.field(repr=False)


class NotRenderable(Exception):
    """A letter cannot be rendered as a message."""


class Renderer(Protocol):
    """Renders letters as messages."""

    def render(self, letter: Letter) -> Message:
        """Render this letter.

        Raises: `NotRenderable`.
        """


class NoticeRenderer(Protocol):
    """Renders the letters of notices."""

    def render(self, letter: NoticeLetter) -> Message:
        """Render this letter.

        Raises: `NotRenderable`.
        """


@attrs.frozen
class Accepted:
    """The mail server took the message."""

    reply: str | None = None


@attrs.frozen
class RefusedForNow:
    """A definite answer: the server did not take the message now, but might later. `reply` holds status codes only."""

    reply: str | None = None


@attrs.frozen
class Rejected:
    """A definite answer: not taken. `reply` holds status codes only, such as `550 5.1.1`.

    One that names neither the mailbox nor the message may be about us, and is tried again: `domain.relay.names_one`.
    `no_mailbox` is whether the server refused the recipient because there is no such mailbox.
    """

    reply: str | None = None
    no_mailbox: bool = False


@attrs.frozen
class Unreachable:
    """There was no connection, or it broke before the end of the message, so the message was certainly not taken.

    `cause` is the name of the exception's class, never its text, which may contain an address.
    """

    cause: str | None = None


@attrs.frozen
class AnswerLost:
    """The end of the message was transmitted but no answer came: it may or may not have been taken (ADR-7)."""


class Staged(Protocol):
    """A message transmitted except for its end: nothing has been sent yet."""

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        """Transmit the end and wait for the answer. Call it only once; after it, the message may have been sent."""

    def abandon(self) -> None:
        """End at once, without transmitting the end of the message, which is then certainly not sent."""


class Mailer(Protocol):
    """Hands messages over in two phases with the fence between them (ADR-7), many at once on one event loop (ADR-49).

    Its coroutines must not block the loop: one that did would hold up all deliveries. Blocking work belongs on a
    thread, for example `await asyncio.to_thread(...)`.
    """

    async def stage(self, message: Message) -> Staged | RefusedForNow | Rejected | Unreachable:
        """Transmit everything except the end of a message."""

    async def close(self) -> None:
        """Close idle connections; idempotent. It runs on the event loop of the deliveries, if there have been any."""
