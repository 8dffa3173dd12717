"""Shops with customers, orders and reviews, and what a shop asks of its own about them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from tests.http.service import Answer, ask, ask_once
from tests.links import token_of

from reviewinvite_core import Application, Caller, LinkClosed, OrderReport, Reported, ReviewDraft
from reviewinvite_core.domain.links import Purpose

JSON = "application/json"


def ask_as(
    to: str | http.client.HTTPConnection, key: str | None, method: str, path: str, body: object = None, **query: object
) -> Answer:
    """A request with a key; what is no bytes goes as JSON."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if body is not None:
        headers["Content_Type"] = JSON
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
    asked = f"{path}?{urlencode(query)}" if query else path
    if isinstance(to, str):
        return ask_once(to, method, asked, body, **headers)
    return ask(to, method, asked, body, **headers)


def an_invitation(app: Application, site: str, order_number: str | None = None, **fields: object) -> str:
    """The id of an invitation that is scheduled."""
    caller = app.act_for(site)
    assert isinstance(caller, Caller)
    report = {"email": "anna@example.com", "delay": 5, **fields}
    reported = app.report_order(caller, OrderReport(order_number=order_number, **report))  # type: ignore[arg-type]
    assert isinstance(reported, Reported)
    return reported.invite_id


def write(app: Application, invite_id: str, rating: int = 5, **fields: Any) -> str:
    """What the customer writes by way of this invitation; the review's id."""
    link = app.write_review(token_of(app, invite_id, Purpose.REVIEW), ReviewDraft(rating=rating, **fields))
    assert link is not None
    assert not isinstance(link, LinkClosed)
    assert link.review is not None
    return link.review.review_id


def a_review(app: Application, site: str, order_number: str, rating: int = 5, **fields: Any) -> str:
    """A review of an order; its link is good while its invitation still waits."""
    return write(app, an_invitation(app, site, order_number), rating, **fields)


def without_request_id(answer: Answer) -> tuple[int, Mapping[str, Any]]:
    """What an answer says, whoever asked and when."""
    return answer.status, {name: value for name, value in answer.json.items() if name != "requestId"}
