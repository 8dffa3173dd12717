"""Notices: mail that is not an invitation, such as sign-in links and news for members. Spec: §6, ADR-57."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.deliveries import Claim, Deliverable, ItemKey, Transitions
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.sealing import ContentDecryptionError, KeyRing


class NoticeKind(StrEnum):
    """Kind of a notice, which determines its text and its priority."""

    SIGN_IN_LINK = "sign_in_link"
    NEW_DEVICE = "new_device"
    KEY_CREATED = "key_created"
    KEY_REVOKED = "key_revoked"
    MEMBER_ADDED = "member_added"
    MEMBER_REMOVED = "member_removed"
    ROLE_CHANGED = "role_changed"
    REPLY_TO_CHANGED = "reply_to_changed"

    @property
    def priority(self) -> int:
        """Rank among the notices that wait: 0, for those that somebody waits for, goes first."""
        return 0 if self is NoticeKind.SIGN_IN_LINK else 1


_NEEDED: Mapping[NoticeKind, frozenset[str]] = MappingProxyType(
    {
        NoticeKind.SIGN_IN_LINK: frozenset({"link"}),
        NoticeKind.NEW_DEVICE: frozenset({"device", "when", "sessions_link"}),
        NoticeKind.KEY_CREATED: frozenset({"shop", "label", "last_four", "by", "when", "link"}),
        NoticeKind.KEY_REVOKED: frozenset({"shop", "label", "last_four", "by", "when", "link"}),
        NoticeKind.MEMBER_REMOVED: frozenset({"shop", "member", "by", "when", "link"}),
        NoticeKind.ROLE_CHANGED: frozenset({"shop", "member", "role", "by", "when", "link"}),
        NoticeKind.MEMBER_ADDED: frozenset({"shop", "added", "role", "by", "when", "link"}),
        NoticeKind.REPLY_TO_CHANGED: frozenset({"shop", "by", "when", "link"}),
    }
)

TRANSITIONS: Transitions = MappingProxyType(
    {
        (State.SCHEDULED, State.CLAIMED): frozenset({Reason.CLAIMED}),
        (State.SCHEDULED, State.CANCELLED): frozenset({Reason.ERASED}),
        (State.SCHEDULED, State.EXPIRED): frozenset({Reason.OVERDUE}),
        (State.SCHEDULED, State.UNCERTAIN): frozenset({Reason.RECONCILED}),
        (State.CLAIMED, State.SCHEDULED): frozenset(
            {
                Reason.LEASE_EXPIRED,
                Reason.REFUSED_FOR_NOW,
                Reason.UNREACHABLE,
                Reason.SHUTDOWN,
                Reason.PAUSED,
                Reason.FAULT,
            }
        ),
        (State.CLAIMED, State.REJECTED): frozenset({Reason.REFUSED, Reason.NOT_RENDERABLE}),
        (State.CLAIMED, State.CANCELLED): frozenset({Reason.ERASED}),
        (State.CLAIMED, State.EXPIRED): frozenset({Reason.OVERDUE}),
        (State.CLAIMED, State.UNCERTAIN): frozenset({Reason.RECONCILED}),
        (State.CLAIMED, State.HANDING_OVER): frozenset({Reason.FENCED}),
        (State.HANDING_OVER, State.SENT): frozenset({Reason.ACCEPTED}),
        (State.HANDING_OVER, State.REJECTED): frozenset({Reason.REFUSED}),
        (State.HANDING_OVER, State.SCHEDULED): frozenset({Reason.REFUSED_FOR_NOW, Reason.MARK_UNWRITTEN, Reason.FAULT}),
        (State.HANDING_OVER, State.UNCERTAIN): frozenset({Reason.ANSWER_LOST, Reason.PROCESS_DIED, Reason.RECONCILED}),
        (State.UNCERTAIN, State.SENT): frozenset({Reason.ACCEPTED}),
        (State.UNCERTAIN, State.REJECTED): frozenset({Reason.REFUSED}),
        (State.UNCERTAIN, State.SCHEDULED): frozenset({Reason.REFUSED_FOR_NOW}),
    }
)
"""The only transitions of a notice; its states and reasons mean what they mean for an invitation."""

ENDED = frozenset({State.SENT, State.REJECTED, State.CANCELLED, State.EXPIRED})
"""States in which a notice needs its content no more."""


@attrs.frozen(kw_only=True)
class NewNotice:
    """A notice to be sent to a person until `expires_at`; `values` are the texts that its kind inserts.

    A sign-in link says how long it is valid, in `minutes` or `hours`; with `shop`, it welcomes a new member of that
    shop. A notice to the person whom it concerns has `you`. `shop_number` is the shop that the notice is about, or
    None: nobody gets it after being removed from there, except for the notice of that.

    Raises: `ValueError` if a value is missing that the kind needs.
    """

    kind: NoticeKind
    recipient: EmailAddress
    language: Language
    values: Mapping[str, str] = attrs.field(repr=False)
    expires_at: datetime
    shop_number: int | None = None

    def __attrs_post_init__(self) -> None:
        missing = _NEEDED[self.kind] - self.values.keys()
        if self.kind is NoticeKind.SIGN_IN_LINK and self.values.keys().isdisjoint({"minutes", "hours"}):
            missing |= {"minutes"}
        if missing:
            message = f"{self.kind} lacks {', '.join(sorted(missing))}"
            raise ValueError(message)


@attrs.frozen(kw_only=True)
class NoticeContent:
    """What is sealed of a notice: whom it goes to, and the texts that it inserts."""

    recipient: EmailAddress
    values: Mapping[str, str] = attrs.field(repr=False)

    def seal(self, ring: KeyRing, nonce: bytes) -> bytes:
        """Return the content in stored form; `nonce` is 24 random bytes."""
        text = json.dumps({"to": self.recipient.text, "values": dict(self.values)}, ensure_ascii=False)
        return ring.seal_content(text.encode(errors="surrogatepass"), nonce)

    @classmethod
    def open(cls, ring: KeyRing, sealed: bytes) -> NoticeContent:
        """Return the content that `seal` sealed.

        Raises: `ContentDecryptionError` if it was damaged, or sealed with another ring.
        """
        content = json.loads(ring.open_content(sealed).decode(errors="surrogatepass"))
        return cls(recipient=EmailAddress(content["to"]), values=content["values"])


@attrs.frozen(kw_only=True)
class Notice(Deliverable):
    """A notice as it is stored. Its content is sealed, and None once the notice has ended or was erased.

    Nothing is sent after `expires_at`. `reason` is None as long as nothing has happened to it. `shop_number` is the
    shop that it is about, or None.
    """

    transitions = TRANSITIONS
    lost_answer = State.UNCERTAIN

    message_id: str
    kind: NoticeKind
    language: Language
    address_hash: bytes = attrs.field(repr=False)
    sealed: bytes | None = attrs.field(repr=False)
    queued_at: datetime
    expires_at: datetime
    due_at: datetime
    state: State = State.SCHEDULED
    reason: Reason | None = None
    changed_at: datetime
    reply: str | None = None
    attempts: int = 0
    claim: Claim | None = None
    shop_number: int | None = None
    refused_at: datetime | None = None

    @property
    def key(self) -> ItemKey:
        return SHOP_OF_NOTICES, self.message_id

    @property
    def lock(self) -> int:
        return lock_id(LockKind.MESSAGE, self.message_id)

    def content(self, ring: KeyRing) -> NoticeContent | None:
        """Return what is sealed of it, or None if that was erased or cannot be read."""
        try:
            return NoticeContent.open(ring, self.sealed) if self.sealed else None
        except ContentDecryptionError:
            return None

    def recipient(self, ring: KeyRing) -> EmailAddress | None:
        """Return whom it goes to, or None if that was erased or cannot be read."""
        content = self.content(ring)
        return content.recipient if content else None

    @property
    def scheduled_for(self) -> datetime:
        """When it was to be sent: at once."""
        return self.queued_at

    @property
    def first_tried_at(self) -> None:
        """Nothing: a notice expires before its attempts could last too long."""

    def _after(
        self, to: State, reason: Reason, at: datetime, *, claim: Claim | None, due_at: datetime, reply: str | None
    ) -> Notice:
        return attrs.evolve(
            self,
            state=to,
            reason=reason,
            changed_at=at,
            due_at=due_at,
            reply=reply,
            attempts=self.attempts + (to is State.CLAIMED),
            claim=claim,
            sealed=None if to in ENDED else self.sealed,
        )


MailItem: TypeAlias = Invitation | Notice
"""What is delivered: an invitation or a notice."""

SHOP_OF_NOTICES = 0
"""Stands for the shop of a notice in the high-water mark, which names what left by shop and id; no shop has it."""
