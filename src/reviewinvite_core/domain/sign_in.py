"""Sign-in by single-use links, and the sessions that it begins. Spec: §10.

Links and sessions are known by random secrets that only the person holds; storage has their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Self

import attrs

from reviewinvite_core.domain import policy
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.limits import HOUR, Limit
from reviewinvite_core.domain.locks import LockKind, lock_id

SECRET_BYTES = 32
LONGEST_DEVICE = 300

LINKS_PER_ADDRESS = Limit(policy.LINKS_PER_ADDRESS, HOUR)
LINKS_PER_CLIENT = Limit(policy.LINKS_PER_CLIENT, HOUR)
LINKS_PER_DEVICE = Limit(policy.LINKS_PER_DEVICE, HOUR)
MAILS_PER_ADDRESS = Limit(policy.MAILS_PER_ADDRESS, HOUR)

_DEVICE_TOKEN = re.compile("[0-9a-f]{64}")
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


@attrs.frozen(repr=False)
class SignInSecret:
    """The secret of a link or a session in clear text (43 characters, base64url); its `repr` and `str` hide it."""

    text: str

    @classmethod
    def make(cls, entropy: bytes) -> Self:
        """Create a secret from 32 random bytes."""
        return cls(base64.urlsafe_b64encode(entropy[:SECRET_BYTES]).decode("ascii").rstrip("="))

    @classmethod
    def parse(cls, value: str) -> Self | None:
        """Return the secret in `value`, or None if its form is wrong; needs no storage."""
        return cls(value) if _SECRET.fullmatch(value) else None

    @property
    def hash(self) -> bytes:
        """SHA-256 of the secret (32 bytes), which is stored in its place. It is random, so no slow hash is needed."""
        return hashlib.sha256(self.text.encode("ascii")).digest()

    @property
    def lock(self) -> int:
        """Lock that protects its use."""
        return lock_id(LockKind.LINK, self.hash.hex())

    def __repr__(self) -> str:
        return "SignInSecret(...)"

    __str__ = __repr__


class LinkKind(StrEnum):
    """Why a sign-in link was made."""

    REQUESTED = "requested"  # the person asked for it
    WELCOME = "welcome"  # the person was made a member, and has never signed in
    HANDED_OUT = "handed_out"  # an operator asked for it


VALID_FOR = {
    LinkKind.REQUESTED: policy.LINK_VALID_FOR,
    LinkKind.WELCOME: policy.WELCOME_LINK_VALID_FOR,
    LinkKind.HANDED_OUT: policy.LINK_VALID_FOR,
}


@attrs.frozen(kw_only=True)
class SignInLink:
    """A sign-in link as it is stored, without its secret.

    `member_id` is None if the address that asked for it belongs to nobody: such a link is never mailed, and only counts
    against the limit of `client_hash`, the client that asked. `device_hash` is the session that began in the browser
    that asked, if any, and `message_id` the e-mail; only those that were asked for have them.
    """

    hash: bytes = attrs.field(repr=False)
    kind: LinkKind
    member_id: str | None
    client_hash: bytes | None = attrs.field(default=None, repr=False)
    device_hash: bytes | None = attrs.field(default=None, repr=False)
    message_id: str | None = None
    made_at: datetime
    expires_at: datetime
    used_at: datetime | None = None

    def is_open(self, now: datetime, *, signed_in_before: bool) -> bool:
        """Return whether it can still be used; a new member's link only until the first sign-in by any link."""
        spent = self.used_at is not None or (self.kind is LinkKind.WELCOME and signed_in_before)
        return self.member_id is not None and not spent and now < self.expires_at


@attrs.frozen
class MailedLink:
    """A link that a member asked for, with the state of its e-mail since the instant `since`."""

    link: SignInLink
    state: State
    since: datetime

    def is_valid(self, now: datetime) -> bool:
        """Return whether the mail server took it, and it can be used for five minutes or more."""
        return (
            self.state is State.SENT and self.link.used_at is None and self.link.expires_at - now >= policy.STILL_VALID
        )

    def is_waiting(self, now: datetime) -> bool:
        """Return whether it is still to be sent, or is being handed over by a worker that is alive."""
        at_work = self.state is State.HANDING_OVER and now - self.since < policy.HAND_OVER_LASTS
        return self.link.used_at is None and (at_work or self.state in (State.SCHEDULED, State.CLAIMED))

    def counts(self, now: datetime) -> bool:
        """Return whether the mail server took it within the last hour, or may have."""
        may_have_left = self.state in (State.SENT, State.UNCERTAIN, State.HANDING_OVER)
        return may_have_left and now - self.since < MAILS_PER_ADDRESS.window


def admits_another(
    asked: Sequence[MailedLink], now: datetime, *, by_client: int, device_hash: bytes | None = None
) -> bool:
    """Return whether a request of a member is answered by one more link. Spec: §10.2.

    `by_client` is how many the client has asked for within an hour; `device_hash` is the session that began in this
    browser, if the member was signed in there. Without a valid link one is sent, whatever others have asked for.
    """
    left = [each for each in asked if each.counts(now)]
    if device_hash and sum(each.link.device_hash == device_hash for each in left) < LINKS_PER_DEVICE.count:
        return True
    if not any(each.is_valid(now) for each in asked):
        return len(left) < MAILS_PER_ADDRESS.count
    return len(left) < LINKS_PER_ADDRESS.count and by_client < LINKS_PER_CLIENT.count


@attrs.frozen(kw_only=True)
class Session:
    """A session as it is stored, without its secret. `device` is what the person's browser says it is.

    `ended_at` is when the person ended it, or None.
    """

    hash: bytes = attrs.field(repr=False)
    member_id: str
    signed_in_at: datetime
    last_seen_at: datetime
    device: str
    ended_at: datetime | None = None

    @property
    def session_id(self) -> str:
        """Identifier for lists of sessions; it does not open the session."""
        return self.hash.hex()[:32]

    @property
    def device_token(self) -> str:
        """What the browser keeps for 90 days, so that links to its member have a budget of their own; opens nothing."""
        return self.hash.hex()

    def is_known_device(self, now: datetime) -> bool:
        """Return whether the browser in which it began is still recognised."""
        return now - self.signed_in_at < policy.DEVICE_KNOWN_FOR

    def is_open(self, now: datetime) -> bool:
        """Return whether it is not ended: it was used within 12 hours, and began within 30 days."""
        in_time = now - self.last_seen_at < policy.SESSION_IDLE_FOR and now - self.signed_in_at < policy.SIGNED_IN_FOR
        return self.ended_at is None and in_time

    def is_recent(self, now: datetime) -> bool:
        """Return whether its sign-in was within the last 15 minutes."""
        return now - self.signed_in_at < policy.RECENT_SIGN_IN

    def has_to_be_noted(self, now: datetime) -> bool:
        """Return whether its use now has to be stored."""
        return now - self.last_seen_at >= policy.SEEN_EVERY


def device_hash_in(token: str | None) -> bytes:
    """Return the hash of the session that began in the browser with this `device_token`; zeros if it is none."""
    return bytes.fromhex(token) if token and _DEVICE_TOKEN.fullmatch(token) else bytes(32)


def to_device(value: str) -> str:
    """Return a device's description on one line of at most 300 characters; what cannot be shown is left out."""
    shown = "".join(character for character in value if character.isprintable())
    return " ".join(shown.split())[:LONGEST_DEVICE]
