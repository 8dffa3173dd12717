"""Shops with customers, orders and reviews, and what a shop asks of its own about them."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlencode

from tests.http.service import Answer, http_request, send_request
from tests.links import token_of

from reviewinvite_core import Application, OrderReport, ReviewDraft, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.values import LinkClosed

JSON = "application/json"
UNKNOWN = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"
GETS = (
    *("/v1/reviews", f"/v1/reviews/{UNKNOWN}", "/v1/invitations", f"/v1/invitations/{UNKNOWN}"),
    *("/v1/shop", "/v1/badge", "/v1/domains"),
)
POSTS = (
    *(f"/v1/reviews/{UNKNOWN}/reply", f"/v1/invitations/{UNKNOWN}/cancel"),
    *("/v1/domains", "/v1/domains/unknown.example.nl/check"),
)
BODY = {POSTS[0]: {"text": "Dank u!"}, POSTS[1]: None, POSTS[2]: {"host": "example.nl"}, POSTS[3]: None}


def request_as(
    to: str | http.client.HTTPConnection, key: str | None, method: str, path: str, body: object = None, **query: object
) -> Answer:
    """Send a request with a key; a body that is not bytes goes as JSON."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if body is not None:
        headers["Content_Type"] = JSON
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
    asked = f"{path}?{urlencode(query)}" if query else path
    if isinstance(to, str):
        return http_request(to, method, asked, body, **headers)
    return send_request(to, method, asked, body, **headers)


def an_invitation(app: Application, site: str, order_number: str | None = None, **fields: object) -> str:
    """Return the id of a new invitation."""
    report: dict[str, Any] = {"email": "anna@example.com", "delay_days": 5, **fields}
    caller = accepted(app.shops.act_for(site))
    return accepted(app.orders.report(caller, OrderReport(order_number=order_number, **report))).invite_id


def write(app: Application, invite_id: str, rating: int = 5, **fields: Any) -> str:
    """Write a review by this invitation's link; return the review's id."""
    link = app.reviews.write(token_of(app, invite_id, Purpose.REVIEW), ReviewDraft(rating=rating, **fields))
    assert link is not None
    assert not isinstance(link, LinkClosed)
    assert link.review is not None
    return link.review.review_id


def a_review(app: Application, site: str, order_number: str, rating: int = 5, **fields: Any) -> str:
    """Write a review of a new order; a link is valid even before its invitation is sent."""
    return write(app, an_invitation(app, site, order_number), rating, **fields)
