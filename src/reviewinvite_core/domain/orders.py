"""Order reports, and the rule by which two of them are the same order. Spec: §2, ADR-4."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain.email_address import EmailAddress, to_email_address
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.language import Language, to_language
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.origins import hosts_in
from reviewinvite_core.domain.policy import UNNUMBERED_ORDERS_ARE_ONE_FOR
from reviewinvite_core.domain.shop import SiteId, to_site_id
from reviewinvite_core.domain.snippets import SnippetSignature
from reviewinvite_core.domain.text import short_text
from reviewinvite_core.domain.timing import Delay, to_delay

LONGEST_ORDER_NUMBER = 128
_SHOWN = re.compile(r"(?=.*[0-9])[A-Za-z0-9._#/-]{1,32}", re.ASCII)
HASH_BYTES = 16


def order_number(value: str) -> str:
    """Return the merchant's order number, stripped: 1 to 128 characters, no control or bidi formatting characters.

    Raises: `Invalid`.
    """
    return short_text(value, "order_number", longest=LONGEST_ORDER_NUMBER)


def number_for_customers(number: str | None) -> str | None:
    """Return an order number as an e-mail or a page shows it to whoever has the link, or None to name no number there.

    Anybody may report an order through an open snippet, so a number must not carry a message or a link to somebody
    else: only what certainly is a number is shown. Its shop sees it whole. Spec: §2, ADR-67.

    >>> number_for_customers("2026-0193"), number_for_customers("1 - pay at evil.example")
    ('2026-0193', None)
    """
    if number is None or not _SHOWN.fullmatch(number) or hosts_in(number, shortest=1):
        return None
    return number


def _reported_number(value: str) -> str:
    """Return the order number of a report; one that is empty after stripping counts as none and stays empty.

    Raises: `Invalid`.
    """
    try:
        return order_number(value)
    except Invalid as invalid:
        if invalid.problem is Problem.EMPTY:
            return ""
        raise


@attrs.frozen(kw_only=True)
class OrderReport:
    """A report that an order was completed, built from plain values and validated.

    An empty `order_number` counts as none; it is kept, so that a shop that always sends one can be noticed. `language`
    and `delay_days` (days, or a `Delay`) are None to use the shop's own. Spec: §2.

    >>> OrderReport(email="Anna@Example.com", order_number=" 1001 ", delay_days=2.5)
    OrderReport(email=EmailAddress(...), order_number='1001', language=None, delay_days=Delay(milliseconds=216000000))

    Raises: `Invalid`, naming the first field that is wrong.
    """

    email: EmailAddress = attrs.field(converter=to_email_address)
    order_number: str | None = attrs.field(default=None, converter=attrs.converters.optional(_reported_number))
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))
    delay_days: Delay | None = attrs.field(default=None, converter=attrs.converters.optional(to_delay))


@attrs.frozen(kw_only=True)
class SnippetReport:
    """An order reported by a customer's browser, and the shop that it names. Spec: §2.

    A browser cannot choose language or delay: both are None in `order`. `signature` is None if none was sent.

    Raises: `Invalid`, naming the first field that is wrong.
    """

    site_id: SiteId = attrs.field(converter=to_site_id)
    order: OrderReport
    signature: SnippetSignature | None = None


class OrderResult(StrEnum):
    """What became of a report that was accepted."""

    CREATED = "created"
    DUPLICATE = "duplicate"
    SUPPRESSED = "suppressed"
    DROPPED = "dropped"
    """The person has had as many invitations through browsers as the caps allow."""


@attrs.frozen(kw_only=True)
class Reported:
    """The invitation of a reported order; `duplicate` if the order was already known. Spec: §2.

    `suppressed` is true if the order is new and leads to no e-mail.
    """

    invite_id: str
    scheduled_for: datetime
    duplicate: bool
    suppressed: bool = attrs.field(default=False, eq=False, repr=False)

    @property
    def result(self) -> OrderResult:
        """What became of the report."""
        if self.duplicate:
            return OrderResult.DUPLICATE
        return OrderResult.SUPPRESSED if self.suppressed else OrderResult.CREATED


@attrs.frozen
class DedupKey:
    """Identity of an order: a keyed hash (16 bytes) of shop, address and order number.

    It reveals nothing about the address without the key ring's key, so it may outlive the address (ADR-4).
    """

    hash: bytes = attrs.field(repr=False)
    numbered: bool

    def same_order_since(self, now: datetime) -> datetime | None:
        """Return the instant after which a first report counts as the same order; None if there is no such limit.

        Only an order without a number can be a new one later: 60 days after the first. Spec: §2.
        """
        return None if self.numbered else now - UNNUMBERED_ORDERS_ARE_ONE_FOR


def dedup_key(key: bytes, site_id: SiteId, report: OrderReport) -> DedupKey:
    """Return the dedup key of a report to the shop `site_id`, under the key ring's 32-byte `key`."""
    numbered = bool(report.order_number)
    fields = (site_id.text, report.email.identity, *([report.order_number] if report.order_number else []))
    return DedupKey(_keyed_hash(key, b"reviewinvite dup", fields), numbered)


def address_hash(key: bytes, address: EmailAddress) -> bytes:
    """Return the keyed hash (16 bytes) of an address alone, by which its rows are found even after its erasure."""
    return _keyed_hash(key, b"reviewinvite adr", (address.identity,))


def person_hash(key: bytes, address: EmailAddress) -> bytes:
    """Return the keyed hash of the person: of the address without its `+tag`. Two orders never count as one by it."""
    return address_hash(key, address.untagged)


def order_lock(report: OrderReport) -> int:
    """Return the lock of the reported order."""
    return lock_id(LockKind.ORDER, f"{report.email.identity}\n{report.order_number or ''}")


def person_lock(address: EmailAddress) -> int:
    """Return the lock of one person, whatever the tag of the address."""
    return lock_id(LockKind.ADDRESS, address.untagged.identity)


def _keyed_hash(key: bytes, person: bytes, fields: tuple[str, ...]) -> bytes:
    """Return keyed BLAKE2b over the fields, each prefixed with its length so that no two lists collide."""
    contents = [field.encode() for field in fields]
    framed = b"".join([len(content).to_bytes(4, "big") + content for content in contents])
    return hashlib.blake2b(framed, key=key, person=person, digest_size=HASH_BYTES).digest()
