"""The service over HTTP: a shop's reports go to a real server; the operator sits beside it."""

from __future__ import annotations

import html
import http.client
import json
import re
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import attrs
from features.drivers.answers import (
    Acknowledged,
    Answer,
    Order,
    Page,
    ReadReview,
    Refused,
    Scheduled,
    Seen,
    ShopPage,
    Told,
)
from features.drivers.library import Library
from features.drivers.review_page import ReviewPage, page_in
from features.drivers.shop_page import shop_page_in

from reviewinvite_core import Language, Reach, Subscription
from reviewinvite_http.server import running

SECONDS = 60
SNIPPET = "/v1/orders/snippet"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


@attrs.frozen
class Response:
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, Any]


@attrs.frozen
class ShownPage:
    """A page as a browser gets it."""

    status: int
    language: str
    html: str


@attrs.frozen
class LoadedScript:
    """A script as a browser gets it."""

    path: str
    status: int
    headers: Mapping[str, str]
    text: str


class OverHttp(Library):
    """The library's installation, with a server in front of it."""

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        super().__init__(folder, database_url)
        self.set(trusted_proxies="127.0.0.1")
        self._running = ExitStack()
        self._address: str | None = None

    @property
    def address(self) -> str:
        """Host and port of the server, which starts when it is first asked."""
        if self._address is None:
            base_url = self._running.enter_context(running(self.app, worker=False))
            self._address = urlsplit(base_url).netloc
        return self._address

    def report(self, order: Order, key: str) -> Answer:
        """What a shop's server does."""
        response = self.post(_body_of(order), {"Authorization": f"Bearer {key}", "Content-Type": JSON})
        body = response.body
        if response.status in {200, 201}:
            assert body.get("duplicate", False) is (response.status == 200)
            return Scheduled(
                invite_id=body["inviteId"],
                scheduled_for=datetime.fromisoformat(body["scheduledFor"]),
                duplicate=response.status == 200,
            )
        return _refused(response)

    def tell_from(self, page: Page, shop: str, order: Order) -> Answer:
        """What a browser does; it comes through a proxy that says which address it has."""
        response = self.send_from(page, _body_of(order, siteId=shop))
        if response.status == 202:
            assert response.body == {"ok": True}
            return Acknowledged()
        return _refused(response)

    def send_from(self, page: Page, body: bytes) -> Response:
        """Have a page send any body."""
        origin = {"Origin": page.origin} if page.origin is not None else {}
        return self.ask("POST", SNIPPET, body, {**origin, "Content-Type": JSON, "X-Forwarded-For": page.address})

    def report_and_lose_the_answer(self, order: Order, key: str) -> None:
        """The connection breaks once the report is stored, before its answer has been read."""
        body = _body_of(order)
        known = len(self.invitations())
        host, _, port = self.address.partition(":")
        with socket.create_connection((host, int(port)), SECONDS) as connection:
            head = f"POST /v1/orders HTTP/1.1\r\nHost: {self.address}\r\nAuthorization: Bearer {key}\r\n"
            head += f"Content-Type: {JSON}\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            deadline = time.monotonic() + SECONDS
            while len(self.invitations()) == known:
                assert time.monotonic() < deadline, "the report was never stored"
                time.sleep(0.005)

    def post(self, body: bytes, headers: Mapping[str, str]) -> Response:
        """Send any body with any headers to the orders API."""
        return self.ask("POST", "/v1/orders", body, headers)

    def ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Response:
        """One request, whose answer is JSON, or nothing."""
        connection = http.client.HTTPConnection(self.address, timeout=SECONDS)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            content = json.loads(answer.read() or b"{}")
        finally:
            connection.close()
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def read_reviews(self, key: str) -> Sequence[ReadReview] | Refused:
        """What a shop's server is told."""
        response = self.ask("GET", "/v1/reviews", None, {"Authorization": f"Bearer {key}"})
        if response.status != 200:
            return _refused(response)
        return [
            ReadReview(
                order_number=each["orderNumber"],
                state=each["state"],
                rating=each["rating"],
                text=each["text"],
                author=each["author"],
                reply=each["reply"]["text"] if each["reply"] else None,
            )
            for each in response.body["reviews"]
        ]

    def reply(self, key: str, review_id: str, text: str) -> Refused | None:
        """What a shop's server does when the shop replies."""
        headers = {"Authorization": f"Bearer {key}", "Content-Type": JSON}
        body = json.dumps({"text": text}).encode()
        response = self.ask("POST", f"/v1/reviews/{review_id}/reply", body, headers)
        return None if response.status == 200 else _refused(response)

    def cancel(self, key: str, invite_id: str) -> Refused | None:
        """What a shop's server does when an order is refunded."""
        response = self.ask("POST", f"/v1/invitations/{invite_id}/cancel", None, {"Authorization": f"Bearer {key}"})
        return None if response.status == 200 else _refused(response)

    def look_at_opting_out(self, link: str) -> Subscription | None:
        """What a browser does with the link."""
        return _subscription_in(self.ask_for_page("GET", f"/u/{link}"))

    def opt_out(self, link: str, reach: Reach) -> Subscription | None:
        """What a browser does when a button of the page is pressed, which has to be there unless it was before."""
        form = b"everywhere=yes" if reach is Reach.EVERY_SHOP else b""
        return _subscription_in(self.ask_for_page("POST", f"/u/{link}", form, {"Content-Type": FORM}))

    def look_at_review(self, link: str) -> ReviewPage | None:
        """What a browser does with the link."""
        shown = self.ask_for_page("GET", f"/r/{link}")
        return page_in(shown.status, shown.language, shown.html)

    def write_review(self, link: str, rating: int | None, text: str, author: str) -> ReviewPage | Refused | None:
        """What a browser sends when the form is filled in, and what it shows then."""
        answer = self._send_form(link, rating=str(rating or ""), text=text, author=author)
        if answer.status == 422:
            (field,) = re.findall(r'class="problem" id="(\w+)-problem"', answer.html)
            return Refused(code="", field=field)
        return page_in(answer.status, answer.language, answer.html)

    def withdraw_review(self, link: str) -> ReviewPage | None:
        answer = self._send_form(link, action="withdraw")
        return page_in(answer.status, answer.language, answer.html)

    def _send_form(self, link: str, **fields: str) -> ShownPage:
        """The page that a browser shows when it has sent a form, followed to where it was sent on to."""
        connection = http.client.HTTPConnection(self.address, timeout=SECONDS)
        try:
            connection.request("POST", f"/r/{link}", urlencode(fields), {"Content-Type": FORM})
            answer = connection.getresponse()
            shown = ShownPage(answer.status, answer.headers["Content-Language"] or "", answer.read().decode())
            to = answer.headers["Location"]
        finally:
            connection.close()
        return self.ask_for_page("GET", f"/r/{link}{to}") if shown.status == 303 else shown

    def ask_for_page(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> ShownPage:
        """One request of a browser or mail program."""
        connection = http.client.HTTPConnection(self.address, timeout=SECONDS)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            return ShownPage(answer.status, answer.headers["Content-Language"], answer.read().decode())
        finally:
            connection.close()

    def look_at_page(self, shop: str, after: str | None = None) -> ShopPage | None:
        """What a visitor reads there."""
        place = f"&after={after}" if after else ""
        page = self.ask_for_page("GET", f"/shops/{shop}?language=en{place}")
        return shop_page_in(page.html) if page.status == 200 else None

    def look_at_badge(self, shop: str, page: str | None) -> Seen | None:
        """What a browser does with the shop's tag: the script is told what it is to draw."""
        script = self.load(f"/w/{shop}.js", {"Referer": page} if page else {})
        assert script.status == 200
        if not script.text:
            return None
        told = json.loads(script.text.rpartition("})(")[2].strip().removesuffix(");"))
        assert told["siteId"] == shop
        return Seen(told["status"])

    def verify(self, shop: str) -> Told | Refused:
        """What a program of a stranger's does."""
        response = self.ask("GET", f"/v1/verify/{shop}", None, {})
        if response.status != 200:
            return _refused(response)
        return Told(json.dumps(response.body).encode(), response.body["statement"])

    def public_keys(self) -> bytes:
        return json.dumps(self.ask("GET", "/v1/badge/public-keys", None, {}).body).encode()

    def load(self, path: str, headers: Mapping[str, str]) -> LoadedScript:
        """What a browser does with a script."""
        connection = http.client.HTTPConnection(self.address, timeout=SECONDS)
        try:
            connection.request("GET", path, None, dict(headers))
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return LoadedScript(path, answer.status, named, answer.read().decode())
        finally:
            connection.close()

    def close(self) -> None:
        self._running.close()
        self._address = None
        super().close()


def _subscription_in(page: ShownPage) -> Subscription | None:
    """What the page says, told by the shop it names and the buttons that are left."""
    if page.status == 404:
        return None
    assert page.status == 200
    buttons = page.html.count("<button")
    return Subscription(
        shop_name=html.unescape(page.html.partition("<bdi>")[2].partition("</bdi>")[0]),
        language=Language(page.language),
        stopped=buttons < 2,
        stopped_everywhere=buttons == 0,
    )


def _refused(response: Response) -> Refused:
    wait = response.headers.get("retry-after")
    body = response.body
    return Refused(code=body["code"], field=body.get("field"), wait_seconds=int(wait) if wait else None)


def _body_of(order: Order, **more: str) -> bytes:
    fields = {
        **more,
        "email": order.email,
        "orderNumber": order.number,
        "language": order.language,
        "delayDays": order.delay_days,
    }
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()
