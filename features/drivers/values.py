"""What goes in and out of a driver, in plain values: the same for every driver."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

import attrs


@attrs.frozen(kw_only=True)
class Order:
    """An order as a shop reports it: plain values, which may be invalid; None is left out."""

    email: str
    number: str | None = None
    language: str | None = None
    delay_days: float | None = None
    signature: str | None = None


@attrs.frozen(kw_only=True)
class Scheduled:
    """The report was accepted; `duplicate` if the order was known."""

    invite_id: str
    scheduled_for: datetime
    duplicate: bool


@attrs.frozen(kw_only=True)
class Rejected:
    """The request was rejected: the stable code of Spec: §7, the field at fault, and the seconds to wait."""

    code: str
    field: str | None = None
    wait_seconds: int | None = None


@attrs.frozen
class Acknowledged:
    """A browser's report was accepted; the response says no more."""


@attrs.frozen(kw_only=True)
class BrowserPage:
    """A page that reports orders: its origin, and the IP address of the browser."""

    origin: str | None
    address: str = "203.0.113.9"


ReportResult: TypeAlias = Scheduled | Acknowledged | Rejected


@attrs.frozen(kw_only=True)
class DisplayedScore:
    """A score as a page displays it: the mean as it is written, and the number of reviews."""

    mean: str
    count: int


@attrs.frozen(kw_only=True)
class DisplayedReview:
    """A review as a page displays it; None if it has no text, name or reply."""

    rating: int
    text: str | None
    author: str | None
    day: str
    is_verified: bool
    reply: str | None


@attrs.frozen(kw_only=True)
class ShopPage:
    """A shop's public page; a score is None if there are no reviews for it.

    `verified` is how many reviews of the last 12 months are of verified orders.

    `by_rating` begins with those of 1; `older` is the cursor at which the older reviews begin.
    """

    name: str
    mark: str
    recent: DisplayedScore | None
    verified: int | None
    all_time: DisplayedScore | None
    by_rating: tuple[int, ...]
    reviews: tuple[DisplayedReview, ...]
    shares: tuple[int | None, int | None, int | None]
    older: str | None


@attrs.frozen
class DisplayedBadge:
    """A badge that was displayed: the status of the shop in it."""

    status: str


@attrs.frozen
class SignedStatement:
    """A signed document about a shop, and the statement in it."""

    document: bytes
    statement: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class MerchantReview:
    """A review as its shop reads it."""

    order_number: str | None
    state: str
    rating: int | None
    text: str | None
    author: str | None
    reply: str | None
