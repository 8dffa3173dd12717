"""What the answers of our mail server, the relay, say about itself: when it refuses us, and not one recipient. ADR-69.

Mail of every shop goes through one relay. A wrong setting, an unpaid bill or a block list makes it refuse all of it;
then the refusals say nothing about the messages, and none may be given up for them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.policy import OUTAGE_DOMAINS, OUTAGE_SHOPS, OUTAGE_TIME, OUTAGE_TRIES

NO_PROBE_TAKES_SO_LONG = timedelta(days=2)  # a turn taken for longer was taken when a clock was ahead

_STATUS = re.compile(r"(?P<code>[45]\d\d)(?: (?P<enhanced>[45]\.\d{1,3}\.\d{1,3}))?")
TOO_LARGE = "552"
NO_SUCH_MAILBOX = frozenset({"5.1.1", "5.1.6", "5.1.10"})  # unknown, moved away, or a domain that takes no mail

# The subjects of RFC 3463 (the second number) that are about one recipient or one message. The others are about the
# system (3), the network (4), the protocol (5), policy (7) or nothing in particular (0): relays use them to refuse a
# sender. A code without an enhanced one names nobody either: 550, 551, 553 and 554 are also said to those who may not
# relay (qmail says 553).
_ABOUT_ONE = {
    "1": "the address of the recipient, but see below",
    "2": "the mailbox, such as one that is full or disabled",
    "6": "the content of the message",
}
_ABOUT_SENDER = frozenset({"1.7", "1.8"})  # the address of the sender, which all messages share
_ABOUT_SIZE = frozenset({"3.4"})  # this message is too large for the system


def names_one(reply: str | None) -> bool:
    """Return whether a refusal is about one mailbox or one message, so that it says nothing about others.

    `reply` is the code and, if there is one, the enhanced code: `550 5.1.1`.

    >>> [names_one(reply) for reply in ("550 5.1.1", "452 4.2.2", "550", "554 5.7.1", "451", None)]
    [True, True, False, False, False, False]
    """
    status = _STATUS.fullmatch(reply or "")
    if status is None or status["enhanced"] is None:
        return status is not None and status["code"] == TOO_LARGE
    subject, _, detail = status["enhanced"].partition(".")[2].partition(".")
    kind = f"{subject}.{detail}"
    return (subject in _ABOUT_ONE and kind not in _ABOUT_SENDER) or kind in _ABOUT_SIZE


def names_dead_mailbox(reply: str | None) -> bool:
    """Return whether a refusal says that there is no such mailbox."""
    return (reply or "").partition(" ")[2] in NO_SUCH_MAILBOX


def domain_hash(key: bytes, address: str) -> bytes:
    """Return the keyed hash (16 bytes) of an address's domain, which tells domains apart and names none."""
    domain = address.rpartition("@")[2].lower()
    return hashlib.blake2b(domain.encode(), key=key, person=b"reviewinvite dmn", digest_size=16).digest()


@attrs.frozen(kw_only=True)
class RefusedMail:
    """A shop and a domain (its keyed hash) whose mail was refused since the last acceptance, the last time `at`."""

    shop_number: int
    domain: bytes = attrs.field(repr=False)
    at: datetime


@attrs.frozen(kw_only=True)
class Relay:
    """What is known about the mail server. A refusal here is one that names neither a mailbox nor a message.

    `accepted_at` is when the hand-over began that it accepted after a refusal; acceptances without a refusal before
    them are not noted. `refused_at` is when it last refused, and `refused_since` and `tries` are the first refusal and
    their number since the last acceptance. There is an outage since `outage_since`, or none. In an outage, the next
    probe is not before `probe_at`.

    `epoch` is drawn at random whenever this database may have become another one (ADR-69).
    """

    epoch: int = 0
    accepted_at: datetime | None = None
    refused_at: datetime | None = None
    refused_since: datetime | None = None
    tries: int = 0
    outage_since: datetime | None = None
    probe_at: datetime | None = None

    @property
    def is_acceptance_awaited(self) -> bool:
        """Whether it has refused mail, and accepted none that was handed over since."""
        return self.refused_at is not None and not self.has_accepted_since(self.refused_at)

    def has_accepted_since(self, instant: datetime) -> bool:
        """Return whether it has accepted a message that was handed over after this refusal."""
        return self.accepted_at is not None and self.accepted_at > instant

    def accepted(self, handed_over_at: datetime) -> Relay:
        """Return this after an acceptance, which ends an outage."""
        latest = max(handed_over_at, self.accepted_at or handed_over_at)
        return Relay(epoch=self.epoch, accepted_at=latest, refused_at=self.refused_at)

    def refused(self, at: datetime, tries: int, mail: Collection[RefusedMail]) -> Relay:
        """Return this after `tries` more refusals; `mail` is all that was refused since the last acceptance.

        It is an outage once neither one shop nor one domain can be the reason, or once all that there was to send has
        been refused for a while.
        """
        since, tries = self.refused_since or at, self.tries + tries
        shops, domains = {each.shop_number for each in mail}, {each.domain for each in mail}
        is_outage = (len(domains) >= OUTAGE_DOMAINS and len(shops) >= OUTAGE_SHOPS) or (
            tries >= OUTAGE_TRIES and at - since >= OUTAGE_TIME
        )
        return attrs.evolve(
            self,
            # an acceptance ahead of now is from before the clock was set back
            accepted_at=self.accepted_at if self.accepted_at and self.accepted_at <= at else None,
            refused_at=at,
            refused_since=since,
            tries=tries,
            outage_since=self.outage_since or (at if is_outage else None),
        )

    def is_probe_due(self, now: datetime) -> bool:
        """Return whether the next probe may begin in an outage: one at a time, and not at once."""
        at = self.probe_at
        return self.outage_since is not None and (at is None or not now < at <= now + NO_PROBE_TAKES_SO_LONG)
