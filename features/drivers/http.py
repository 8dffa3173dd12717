"""The service over HTTP: a shop's reports go to a real server; the operator sits beside it."""

from __future__ import annotations

import html
import http.client
import json
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs
from features.drivers.answers import Answer, Order, Refused, Scheduled
from features.drivers.library import Library

from reviewinvite_core import Language, Reach, Subscription
from reviewinvite_http.server import running

SECONDS = 10
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


class OverHttp(Library):
    """The library's installation, with a server in front of it."""

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        super().__init__(folder, database_url)
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
        wait = response.headers.get("retry-after")
        return Refused(code=body["code"], field=body.get("field"), wait_seconds=int(wait) if wait else None)

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
        connection = http.client.HTTPConnection(self.address, timeout=SECONDS)
        try:
            connection.request("POST", "/v1/orders", body, dict(headers))
            answer = connection.getresponse()
            content = json.loads(answer.read())
        finally:
            connection.close()
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def look_at_opting_out(self, link: str) -> Subscription | None:
        """What a browser does with the link."""
        return _subscription_in(self.ask_for_page("GET", f"/u/{link}"))

    def opt_out(self, link: str, reach: Reach) -> Subscription | None:
        """What a browser does when a button of the page is pressed, which has to be there unless it was before."""
        form = b"everywhere=yes" if reach is Reach.EVERY_SHOP else b""
        return _subscription_in(self.ask_for_page("POST", f"/u/{link}", form, {"Content-Type": FORM}))

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


def _body_of(order: Order) -> bytes:
    fields = {
        "email": order.email,
        "orderNumber": order.number,
        "language": order.language,
        "delayDays": order.delay_days,
    }
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()
