"""What shops and strangers say and are told, whichever way the two go."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

import attrs


@attrs.frozen(kw_only=True)
class Order:
    """An order as a shop reports it: plain values, which may be wrong; None is left out."""

    email: str
    number: str | None = None
    language: str | None = None
    delay_days: float | None = None


@attrs.frozen(kw_only=True)
class Scheduled:
    """The report was accepted; `duplicate` where the order was known."""

    invite_id: str
    scheduled_for: datetime
    duplicate: bool


@attrs.frozen(kw_only=True)
class Refused:
    """The report was refused: the stable code of Spec: §7, the field at fault, and the seconds to wait."""

    code: str
    field: str | None = None
    wait_seconds: int | None = None


@attrs.frozen
class Acknowledged:
    """A browser's report was accepted; more it is not told."""


@attrs.frozen(kw_only=True)
class Page:
    """A page on which a browser tells of orders: its origin, and the address on the Internet that the browser has."""

    origin: str | None
    address: str = "203.0.113.9"


Answer: TypeAlias = Scheduled | Acknowledged | Refused


@attrs.frozen(kw_only=True)
class Scored:
    """A score as a page tells it: the mean as it is written, and of how many reviews."""

    mean: str
    count: int


@attrs.frozen(kw_only=True)
class ShownReview:
    """A review as a page shows it; None where it has no text, name or reply."""

    rating: int
    text: str | None
    author: str | None
    day: str
    reply: str | None


@attrs.frozen(kw_only=True)
class ShopPage:
    """What a shop's public page tells; no score is None.

    `by_rating` begins with those of 1; `older` is the place where the older reviews begin.
    """

    name: str
    mark: str
    recent: Scored | None
    all_time: Scored | None
    by_rating: tuple[int, ...]
    reviews: tuple[ShownReview, ...]
    older: str | None


@attrs.frozen
class Seen:
    """A badge that was shown, so far as it says what the service says of the shop."""

    status: str


@attrs.frozen
class Told:
    """What a stranger was told of a shop: the signed document, and the statement in it."""

    document: bytes
    statement: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class ReadReview:
    """A review as its shop reads it."""

    order_number: str | None
    state: str
    rating: int | None
    text: str | None
    author: str | None
    reply: str | None
