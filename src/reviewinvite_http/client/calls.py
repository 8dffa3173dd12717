"""The calls of the API: how to build each request, and how to read its answer. This module sends nothing. Spec: §4."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Generic, TypeVar
from urllib.parse import quote

import attrs

from reviewinvite_core.wire.domains import Domain, DomainCheck, DomainList
from reviewinvite_core.wire.invitations import InvitationPage, InvitationRecord
from reviewinvite_core.wire.orders import ReportedOrder
from reviewinvite_core.wire.reviews import Review, ReviewPage
from reviewinvite_core.wire.shops import Badge, Shop
from reviewinvite_core.wire.tolerant_converter import tolerant_converter
from reviewinvite_http.client.errors import MalformedAnswer

T = TypeVar("T")
Page = TypeVar("Page", ReviewPage, InvitationPage)

MOST_ON_A_PAGE = 100

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNCACHED = {"Cache-Control": "no-cache"}


@attrs.frozen(kw_only=True)
class Call(Generic[T]):
    """One request, and the function that reads its answer."""

    method: str
    path: str
    read: Callable[[bytes], T]
    query: Mapping[str, str] = attrs.field(factory=dict)
    body: bytes | None = attrs.field(default=None, repr=False)
    headers: Mapping[str, str] = attrs.field(factory=dict)
    is_public: bool = False
    """Whether the request is sent without the API key."""
    least_seconds: float = 0
    """Seconds that an attempt may take, even with a shorter timeout."""


def read(cls: type[T], body: bytes) -> T:
    """Return the `cls` in a JSON body.

    Raises: `MalformedAnswer`.
    """
    try:
        return tolerant_converter().structure(json.loads(body), cls)
    except Exception as fault:  # the converter may raise anything, and JSON may be nested too deep
        message = f"the answer is not a valid {cls.__name__}"
        raise MalformedAnswer(message) from fault


def report_order(
    email: str, *, order_number: str | None, language: str | None, delay_days: float | None
) -> Call[ReportedOrder]:
    """Return the call that reports an order. Spec: §4.1."""
    fields = {"email": email, "orderNumber": order_number, "language": language, "delayDays": delay_days}
    return _post("/v1/orders", ReportedOrder, fields)


def list_reviews(
    *, cursor: str | None, since: datetime | None, limit: int | None, rating: int | None, state: str | None
) -> Call[ReviewPage]:
    """Return the call that reads a page of the shop's changed reviews. Spec: §4.7.

    Raises: `ValueError` if `since` has no time zone.
    """
    if since is not None and since.tzinfo is None:
        raise ValueError("since has no time zone")
    instant = None if since is None else since.astimezone(UTC).isoformat()
    return _get("/v1/reviews", ReviewPage, cursor=cursor, since=instant, limit=limit, rating=rating, state=state)


def reply(review_id: str, text: str) -> Call[Review]:
    """Return the call that sets the shop's reply to a review. Spec: §4.8."""
    return _post(f"/v1/reviews/{_id(review_id)}/reply", Review, {"text": text})


def list_invitations(
    *, order_number: str | None, state: str | None, cursor: str | None, limit: int | None
) -> Call[InvitationPage]:
    """Return the call that reads a page of the shop's invitations. Spec: §4.9."""
    return _get("/v1/invitations", InvitationPage, orderNumber=order_number, state=state, cursor=cursor, limit=limit)


def get_invitation(invite_id: str) -> Call[InvitationRecord]:
    """Return the call that reads an invitation with its history. Spec: §4.10."""
    return _get(f"/v1/invitations/{_id(invite_id)}", InvitationRecord)


def cancel_invitation(invite_id: str) -> Call[InvitationRecord]:
    """Return the call that cancels an invitation. Spec: §4.11."""
    return _post(f"/v1/invitations/{_id(invite_id)}/cancel", InvitationRecord, {})


def get_review(review_id: str) -> Call[Review]:
    """Return the call that reads one review. Spec: §4.12."""
    return _get(f"/v1/reviews/{_id(review_id)}", Review)


def get_shop() -> Call[Shop]:
    """Return the call that reads the shop and its settings. Spec: §4.13."""
    return _get("/v1/shop", Shop)


def update_shop(
    *, language: str | None, delay_days: float | None, frequency_days: int | None, snippet: str | None
) -> Call[Shop]:
    """Return the call that changes the given settings. Spec: §4.13."""
    fields = {"language": language, "delayDays": delay_days, "frequencyDays": frequency_days}
    fields |= {"snippet": snippet}
    return _send("PATCH", "/v1/shop", Shop, fields)


def get_badge() -> Call[Badge]:
    """Return the call that reads the badge's appearance. Spec: §4.14."""
    return _get("/v1/badge", Badge)


def set_badge(*, theme: str, size: str, language: str | None) -> Call[Badge]:
    """Return the call that replaces the badge's appearance. Spec: §4.14."""
    return _send("PUT", "/v1/badge", Badge, {"theme": theme, "size": size, "language": language})


def list_domains() -> Call[tuple[Domain, ...]]:
    """Return the call that reads the shop's domains. Spec: §4.15."""
    return Call(method="GET", path="/v1/domains", read=lambda body: read(DomainList, body).domains)


def add_domain(host: str) -> Call[Domain]:
    """Return the call that adds a domain. Spec: §4.15."""
    return _post("/v1/domains", Domain, {"host": host})


def check_domain(host: str) -> Call[DomainCheck]:
    """Return the call that looks for a domain's proof. Spec: §4.16."""
    return attrs.evolve(_post(f"/v1/domains/{quote(host, safe='')}/check", DomainCheck, {}), least_seconds=15)


def get_statement(site_id: str) -> Call[bytes]:
    """Return the call that reads the signed statement about a shop, bypassing caches. Spec: §4.4."""
    return Call(method="GET", path=f"/v1/verify/{_id(site_id)}", read=bytes, headers=_UNCACHED, is_public=True)


def get_public_keys() -> Call[bytes]:
    """Return the call that reads the key set that verifies statements, bypassing caches. Spec: §4.5."""
    return Call(method="GET", path="/v1/badge/public-keys", read=bytes, headers=_UNCACHED, is_public=True)


def next_page(call: Call[Page], page: Page) -> Call[Page] | None:
    """Return the call that reads the page after `page`, or None if that was the last.

    Raises: `MalformedAnswer` if the cursor of a page leads back to that page.
    """
    if page.next is None:
        return None
    if page.next == call.query.get("cursor"):
        raise MalformedAnswer("the cursor of a page leads to the page itself")
    query = {name: value for name, value in call.query.items() if name != "since"}
    return attrs.evolve(call, query={**query, "cursor": page.next})


def _get(path: str, cls: type[T], **query: object) -> Call[T]:
    given = {name: str(value) for name, value in query.items() if value is not None}
    return Call(method="GET", path=path, read=partial(read, cls), query=given)


def _post(path: str, cls: type[T], body: Mapping[str, object]) -> Call[T]:
    return _send("POST", path, cls, body)


def _send(method: str, path: str, cls: type[T], body: Mapping[str, object]) -> Call[T]:
    given = {name: value for name, value in body.items() if value is not None}
    return Call(method=method, path=path, read=partial(read, cls), body=json.dumps(given, allow_nan=False).encode())


def _id(given: str) -> str:
    """Return an id that is safe in a path.

    Raises: `ValueError`.
    """
    if not _ID.fullmatch(given):
        raise ValueError("an id must be 1 to 64 letters, digits, - or _")
    return given
