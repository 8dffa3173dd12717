"""An order report, and what makes two of them the same order. Spec: §2, ADR-4."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.language import Language, to_language
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.shop import SiteId, to_site_id
from reviewinvite_core.domain.text import short_text
from reviewinvite_core.domain.timing import Delay, to_delay

LONGEST_ORDER_NUMBER = 128
HASH_BYTES = 16
UNNUMBERED_ORDERS_ARE_ONE_FOR = timedelta(days=60)


def order_number(value: str) -> str:
    """The merchant's order number, blanks around it aside: 1 to 128 characters, no control or bidi formatting.

    Raises: `Invalid`.
    """
    return short_text(value, "orderNumber", longest=LONGEST_ORDER_NUMBER)


def _to_address(value: str | EmailAddress) -> EmailAddress:
    return value if isinstance(value, EmailAddress) else EmailAddress.parse(value)


@attrs.frozen(kw_only=True)
class OrderReport:
    """A claim that an order was completed. Takes plain values; what stands in it is valid.

    `language` and `delay` (days, or a `Delay`) are None if the shop's own apply. Spec: §2.

    >>> OrderReport(email="Anna@Example.com", order_number=" 1001 ", delay=2.5)
    OrderReport(email=EmailAddress(...), order_number='1001', language=None, delay=Delay(milliseconds=216000000))

    Raises: `Invalid`, naming the first field that is wrong.
    """

    email: EmailAddress = attrs.field(converter=_to_address)
    order_number: str | None = attrs.field(default=None, converter=attrs.converters.optional(order_number))
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))
    delay: Delay | None = attrs.field(default=None, converter=attrs.converters.optional(to_delay))


@attrs.frozen(kw_only=True)
class SnippetReport:
    """An order as a customer's browser tells of it, and whose it says that it is. Spec: §2.

    It cannot choose language or delay: in its `order` both are None.

    Raises: `Invalid`, naming the first field that is wrong.
    """

    site_id: SiteId = attrs.field(converter=to_site_id)
    order: OrderReport


@attrs.frozen(kw_only=True)
class Reported:
    """The invitation of a reported order; `duplicate` if the order was known. Spec: §2."""

    invite_id: str
    scheduled_for: datetime
    duplicate: bool


@attrs.frozen
class DedupKey:
    """What makes two reports the same order: a keyed hash (16 bytes) of shop, address and order number.

    It tells nothing about the address without the ring's key, so it may outlive the address (ADR-4).
    """

    hash: bytes = attrs.field(repr=False)
    numbered: bool

    def same_order_since(self, now: datetime) -> datetime | None:
        """A first report at or before this instant is another order; None if none ever is.

        Only an order without a number can be another one later: 60 days after the first. Spec: §2.
        """
        return None if self.numbered else now - UNNUMBERED_ORDERS_ARE_ONE_FOR


def dedup_key(key: bytes, site_id: SiteId, report: OrderReport) -> DedupKey:
    """The dedup key of `report` to the shop `site_id`, under the ring's 32-byte `key`."""
    numbered = report.order_number is not None
    fields = (site_id.text, report.email.identity, *([report.order_number] if report.order_number else []))
    return DedupKey(_keyed_hash(key, b"reviewinvite dup", fields), numbered)


def address_hash(key: bytes, address: EmailAddress) -> bytes:
    """The keyed hash (16 bytes) of an address alone, by which its rows are found when the address is gone."""
    return _keyed_hash(key, b"reviewinvite adr", (address.identity,))


def order_lock(report: OrderReport) -> int:
    """Return the lock of the order that is reported."""
    return lock_id(LockKind.ORDER, f"{report.email.identity}\n{report.order_number or ''}")


def address_lock(address: EmailAddress) -> int:
    """Return the lock of one customer's address."""
    return lock_id(LockKind.ADDRESS, address.identity)


def _keyed_hash(key: bytes, person: bytes, fields: tuple[str, ...]) -> bytes:
    """Keyed BLAKE2b over the fields, each with its length before it, so that no two lists of fields collide."""
    contents = [field.encode() for field in fields]
    framed = b"".join([len(content).to_bytes(4, "big") + content for content in contents])
    return hashlib.blake2b(framed, key=key, person=person, digest_size=HASH_BYTES).digest()
