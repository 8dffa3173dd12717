"""What handing over mail needs: what is due, the mark, workers, the mail server."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import attrs

from reviewinvite_core.domain.handovers import Ahead, DeliveryHost, HandOver, HighWaterMark, RecordedHandOvers
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.messages import MessageKind, ServiceMessage
from reviewinvite_core.domain.relay import RefusedMail, Relay
from reviewinvite_core.domain.workers import Heartbeat


class Messages(Protocol):
    """Messages: mail that is no invitation."""

    def add(self, message: ServiceMessage) -> None:
        """Store a new message, whose id is unique."""

    def add_or_renew(self, message: ServiceMessage) -> bool:
        """Store a new message; one with this id that is not sent yet only expires later. Return False if it has ended.

        Its content stays: whoever delivers it now may have read it.
        """

    def find(self, message_id: str) -> ServiceMessage | None:
        """Return the message with this id, or None."""

    def due(self, now: datetime, limit: int) -> Sequence[ServiceMessage]:
        """Return scheduled messages due by `now` that expire later, by priority, then longest due first.

        No other unit of work gets the same messages until this one has ended.
        """

    def is_any_due(self, now: datetime) -> bool:
        """Return whether `due` would return any message; take none."""

    def overdue(self, now: datetime, limit: int) -> Sequence[ServiceMessage]:
        """Return scheduled messages that have expired by `now`; no other unit of work gets the same ones, as in `due`.

        Those that expired first come first.
        """

    def abandoned(self, now: datetime, longest: datetime, limit: int) -> Sequence[ServiceMessage]:
        """Return claimed or handing-over messages whose lease ended by `now` or ends after `longest`; see `due`.

        No lease ends after `longest` unless the clock was ahead when it began.
        """

    def in_doubt(self, until: datetime | None, limit: int) -> Sequence[ServiceMessage]:
        """Return messages claimed or being handed over, and scheduled ones that were queued by `until`.

        If `until` is None, return only those that have passed the fence.
        """

    def of_address(self, address_hash: bytes) -> Sequence[ServiceMessage]:
        """Return all messages to an address, oldest first."""

    def change(self, before: ServiceMessage, after: ServiceMessage) -> bool:
        """Replace `before` by `after` if its state and claim are still those of `before`; return whether it did.

        The stored content is removed if `after` has none, and else does not change. Neither does the expiry.
        """

    def forget_content(self, message_id: str) -> bool:
        """Remove the sealed content, whatever the state; return whether there was any."""

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete messages that expired before this instant and are not being handed over; return how many."""


class DeliveryHosts(Protocol):
    """The hosts that deliver, each with a fence number (ADR-20)."""

    def every(self) -> Sequence[DeliveryHost]:
        """Return all hosts, sorted by name."""

    def with_all_ahead(self, host: str) -> Sequence[DeliveryHost]:
        """Return this host, if it is known, and all hosts whose mark was found ahead."""

    def register(self, host: str) -> None:
        """Store a new host, which has sent nothing; do nothing if the host is known."""

    def raise_fence(self, host: str, count: int = 1) -> tuple[int, bool]:
        """Raise the fence number of a known host by `count`; return it, and whether an acceptance is awaited.

        It is if the mail server has refused mail and accepted none that was handed over since. The answer comes with
        the number, so that a delivery pays no statement for it.
        """

    def note_ahead(self, ahead: Ahead) -> None:
        """Record that a host's mark is ahead, and what it has sent; register an unknown host with the number 0."""

    def catch_up(self, host: str, number: int) -> None:
        """Raise the fence number of a known host to at least `number`; its mark is then no longer ahead."""


class RelayLog(Protocol):
    """What is known about the mail server, in one row that all workers share, and the mail that it refused (ADR-69)."""

    def state(self) -> Relay:
        """Return what is known."""

    def lock(self) -> Relay:
        """Return what is known; no other unit of work changes it until this one has ended."""

    def keep(self, relay: Relay) -> None:
        """Replace what is known; call `lock` first."""

    def refused_mail(self) -> Sequence[RefusedMail]:
        """Return the shops and domains that were refused since the last acceptance, the longest ago first."""

    def note_mail(self, refused: Collection[tuple[int, bytes]], at: datetime) -> None:
        """Note that mail of these shops to these domains was refused; of new ones, only until there are 64."""

    def forget_mail(self) -> None:
        """Forget the mail that was refused."""


class Workers(Protocol):
    """The heartbeats of workers, what each has claimed, and how much waits or is stuck with them (ADR-70)."""

    def beat(self, worker: bytes, host: str, now: datetime) -> None:
        """Raise the counter of this worker by 1, and store its host and this instant; add an unknown worker with 1."""

    def every(self) -> Sequence[Heartbeat]:
        """Return all heartbeats, sorted by worker."""

    def remove(self, worker: bytes) -> None:
        """Forget a worker, if it is known."""

    def claimed_by(self, worker: bytes, limit: int) -> Sequence[Invitation]:
        """Return the invitations that this worker has claimed and not begun to hand over, the oldest claims first.

        No other unit of work gets the same ones.
        """

    def messages_claimed_by(self, worker: bytes, limit: int) -> Sequence[ServiceMessage]:
        """Return the messages that this worker has claimed and not begun to hand over; see `claimed_by`."""

    def count_held(self, before: datetime, most: int) -> int:
        """Count invitations and messages claimed or being handed over since before this instant, each up to `most`."""

    def count_retrying(self, most: int) -> int:
        """Count scheduled invitations (of active shops) and messages that were tried before, each up to `most`."""

    def oldest_retrying(self) -> datetime | None:
        """Return when the longest waiting of the invitations that `count_retrying` counts was to be sent, or None."""


class HighWaterMarkStore(Protocol):
    """The host's high-water mark, stored outside the database so that an older copy is noticed (ADR-20)."""

    def read(self) -> HighWaterMark | None:
        """Return the current mark, written by any process on this host, or None if there is none.

        Raises: `ConfigurationError` if it is damaged or cannot be read.
        """

    def make(self) -> HighWaterMark:
        """Return the mark; create one with a unique host name if there is none.

        Raises: `ConfigurationError`.
        """

    def recall(self) -> RecordedHandOvers:
        """Return the current mark with the hand-overs that it names.

        Raises: `ConfigurationError` if it is damaged, missing or unreadable.
        """

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        """Raise the mark to at least the numbers of these hand-overs, and name them; durable on return.

        All of them share one write to disk, and so do concurrent calls.

        Raises: `HighWaterMarkUnwritten` if the mark is not known to be durable.
        """


class HighWaterMarkUnwritten(Exception):
    """The high-water mark could not be written, so nothing may be sent. The message says which mark, and why."""


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
class ServiceLetter:
    """Content and recipient of a message's e-mail; `values` are the texts that its kind inserts."""

    message_id: str
    kind: MessageKind
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


class ServiceRenderer(Protocol):
    """Renders the letters of messages that are no invitations."""

    def render(self, letter: ServiceLetter) -> Message:
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
class Refused:
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

    async def commit(self) -> Accepted | RefusedForNow | Refused | AnswerLost:
        """Transmit the end and wait for the answer. Call it only once; after it, the message may have been sent."""

    def abandon(self) -> None:
        """End at once, without transmitting the end of the message, which is then certainly not sent."""


class Mailer(Protocol):
    """Hands messages over in two phases with the fence between them (ADR-7), many at once on one event loop (ADR-49).

    Its coroutines must not block the loop: one that did would hold up all deliveries. Blocking work belongs on a
    thread, for example `await asyncio.to_thread(...)`.
    """

    async def stage(self, message: Message) -> Staged | RefusedForNow | Refused | Unreachable:
        """Transmit everything except the end of a message."""

    async def close(self) -> None:
        """Close idle connections; idempotent. It runs on the event loop of the deliveries, if there have been any."""
