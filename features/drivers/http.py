"""The service over HTTP: shops, customers and visitors send requests to a real server."""

from __future__ import annotations

import html
import http.client
import json
import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import attrs
from features.drivers.base import VISITOR, Driver
from features.drivers.http_browser import HttpBrowser
from features.drivers.member_browser import MemberBrowser
from features.drivers.review_page import ReviewPage, parse_review_page
from features.drivers.shop_page import parse_shop_page
from features.drivers.values import (
    Acknowledged,
    BrowserPage,
    DisplayedBadge,
    MerchantReview,
    Order,
    Rejected,
    ReportResult,
    Scheduled,
    ShopPage,
    SignedStatement,
)
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import Language
from reviewinvite_core.values import Reach, Subscription
from reviewinvite_http.metrics.listener import shown
from reviewinvite_http.metrics.metrics import Metrics, metrics_for
from reviewinvite_http.server import running

SNIPPET = "/v1/orders/snippet"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


@attrs.frozen
class JsonResponse:
    """A response whose body is JSON, or empty; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, Any]


@attrs.frozen
class HtmlResponse:
    """A page as a browser gets it."""

    status: int
    language: str
    html: str
    location: str | None = None


@attrs.frozen
class ScriptResponse:
    """A script as a browser gets it, or another file."""

    path: str
    status: int
    headers: Mapping[str, str]
    text: str


class HttpDriver(Driver):
    """An installation with a server in front of it."""

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        super().__init__(folder, database_url)
        self.configure(trusted_proxies="127.0.0.1")
        self._server = ExitStack()
        self._address: str | None = None
        self._metrics: Metrics | None = None

    def telemetry(self) -> Metrics | None:
        self._metrics = metrics_for(self.settings)
        return self._metrics

    @property
    def address(self) -> str:
        """Host and port of the server, which starts when they are first needed."""
        if self._address is None:
            base_url = self._server.enter_context(running(self.app, worker=False, metrics=self._metrics))
            self._server.enter_context(shown(self._metrics, self.settings))
            self._address = urlsplit(base_url).netloc
        return self._address

    def close(self) -> None:
        self._server.close()
        self._address = None
        super().close()

    def new_browser(self, device: str) -> MemberBrowser:
        return HttpBrowser(device, lambda *request: self._exchange(*request), lambda: f"http://{self.address}")

    # --- requests ---------------------------------------------------------------------------------------------------

    def _exchange(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], str]:
        """Send one request; return the response's status, headers and text."""
        connection = http.client.HTTPConnection(self.address, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            named: dict[str, str] = {}
            for name, value in response.getheaders():
                earlier = named.get(name.lower())
                named[name.lower()] = value if earlier is None else f"{earlier}\n{value}"
            return response.status, named, response.read().decode()
        finally:
            connection.close()

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> JsonResponse:
        """Send one request whose response is JSON, or empty."""
        status, named, text = self._exchange(method, path, body, headers)
        return JsonResponse(status, named, json.loads(text or "{}"))

    def request_page(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> HtmlResponse:
        """Send one request as a browser or mail program does."""
        status, named, text = self._exchange(method, path, body, headers)
        if status != 303:
            assert named["content-type"] == "text/html; charset=utf-8"
        return HtmlResponse(status, named.get("content-language", ""), text, named.get("location"))

    def load_script(self, path: str, headers: Mapping[str, str]) -> ScriptResponse:
        """Load a script, or another file, as a browser does."""
        return ScriptResponse(path, *self._exchange("GET", path, headers=headers))

    def post(self, body: bytes, headers: Mapping[str, str]) -> JsonResponse:
        """Send any body with any headers to the orders API."""
        return self.request("POST", "/v1/orders", body, headers)

    def post_from_page(self, page: BrowserPage, body: bytes) -> JsonResponse:
        """Have a page send any body, through a proxy that says which address the browser has."""
        origin = {"Origin": page.origin} if page.origin is not None else {}
        return self.request("POST", SNIPPET, body, {**origin, "Content-Type": JSON, "X-Forwarded-For": page.address})

    # --- a shop's server --------------------------------------------------------------------------------------------

    def report(self, order: Order, key: str) -> ReportResult:
        response = self.post(_body_of(order), {"Authorization": f"Bearer {key}", "Content-Type": JSON})
        body = response.body
        if response.status in {200, 201}:
            assert body.get("duplicate", False) is (response.status == 200)
            return Scheduled(
                invite_id=body["inviteId"],
                scheduled_for=datetime.fromisoformat(body["scheduledFor"]),
                duplicate=response.status == 200,
            )
        return _rejected(response)

    def report_and_lose_response(self, order: Order, key: str) -> None:
        """Report an order, and break the connection once the report is stored, before its response has been read."""
        body = _body_of(order)
        known = len(self.invitations())
        host, _, port = self.address.partition(":")
        with socket.create_connection((host, int(port)), TIMEOUT_SECONDS) as connection:
            head = f"POST /v1/orders HTTP/1.1\r\nHost: {self.address}\r\nAuthorization: Bearer {key}\r\n"
            head += f"Content-Type: {JSON}\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            wait_until(lambda: len(self.invitations()) > known)

    def read_reviews(self, key: str) -> Sequence[MerchantReview] | Rejected:
        response = self.request("GET", "/v1/reviews", headers={"Authorization": f"Bearer {key}"})
        if response.status != 200:
            return _rejected(response)
        return [
            MerchantReview(
                order_number=each["orderNumber"],
                state=each["state"],
                rating=each["rating"],
                text=each["text"],
                author=each["author"],
                reply=each["reply"]["text"] if each["reply"] else None,
            )
            for each in response.body["reviews"]
        ]

    def reply(self, key: str, review_id: str, text: str) -> Rejected | None:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": JSON}
        body = json.dumps({"text": text}).encode()
        response = self.request("POST", f"/v1/reviews/{review_id}/reply", body, headers)
        return None if response.status == 200 else _rejected(response)

    def cancel(self, key: str, invite_id: str) -> Rejected | None:
        path = f"/v1/invitations/{invite_id}/cancel"
        response = self.request("POST", path, headers={"Authorization": f"Bearer {key}"})
        return None if response.status == 200 else _rejected(response)

    def order_numbers_in(self, key: str, state: str) -> Sequence[str | None]:
        path = f"/v1/invitations?state={state}"
        response = self.request("GET", path, headers={"Authorization": f"Bearer {key}"})
        return [each["orderNumber"] for each in response.body["invitations"]]

    def change_settings(self, key: str, **settings: object) -> Rejected | None:
        return self._send(key, "PATCH", "/v1/shop", settings)

    def set_badge(self, key: str, theme: str, size: str) -> Rejected | None:
        return self._send(key, "PUT", "/v1/badge", {"theme": theme, "size": size})

    def add_domain(self, key: str, host: str) -> Rejected | None:
        return self._send(key, "POST", "/v1/domains", {"host": host})

    def check_domain(self, key: str, host: str) -> Rejected | None:
        return self._send(key, "POST", f"/v1/domains/{host}/check", {})

    def _send(self, key: str, method: str, path: str, body: object) -> Rejected | None:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": JSON}
        response = self.request(method, path, json.dumps(body).encode(), headers)
        return None if response.status == 200 else _rejected(response)

    # --- a customer's browser ---------------------------------------------------------------------------------------

    def report_from_page(self, page: BrowserPage, shop: str, order: Order) -> ReportResult:
        response = self.post_from_page(page, _body_of(order, siteId=shop))
        if response.status == 202:
            assert response.body == {"ok": True}
            return Acknowledged()
        return _rejected(response)

    def open_opt_out_page(self, token: str) -> Subscription | None:
        return _subscription_in(self.request_page("GET", f"/u/{token}"))

    def opt_out(self, token: str, reach: Reach) -> Subscription | None:
        """Send what the button sends; it is on the page unless it was pressed before."""
        form = b"everywhere=yes" if reach is Reach.EVERY_SHOP else b""
        return _subscription_in(self.request_page("POST", f"/u/{token}", form, {"Content-Type": FORM}))

    def resubscribe(self, token: str) -> Subscription | None:
        return _subscription_in(self.request_page("POST", f"/u/{token}", b"action=resubscribe", {"Content-Type": FORM}))

    def open_review_page(self, token: str) -> ReviewPage | None:
        page = self.request_page("GET", f"/r/{token}")
        return parse_review_page(page.status, page.language, page.html)

    def write_review(self, token: str, rating: int | None, text: str, author: str) -> ReviewPage | Rejected | None:
        page = self.send_review_form(token, rating=str(rating or ""), text=text, author=author)
        if page.status == 422:
            (field,) = re.findall(r'class="error" id="(\w+)-problem"', page.html)
            return Rejected(code="", field=field)
        return parse_review_page(page.status, page.language, page.html)

    def withdraw_review(self, token: str) -> ReviewPage | None:
        page = self.send_review_form(token, action="withdraw")
        return parse_review_page(page.status, page.language, page.html)

    def send_review_form(self, token: str, **fields: str) -> HtmlResponse:
        """Send the form of the review page, and follow the redirect, if there is one."""
        page = self.request_page("POST", f"/r/{token}", urlencode(fields).encode(), {"Content-Type": FORM})
        return self.request_page("GET", f"/r/{token}{page.location}") if page.status == 303 else page

    # --- visitors and strangers -------------------------------------------------------------------------------------

    def open_shop_page(self, shop: str, after: str | None = None) -> ShopPage | None:
        cursor = f"&after={after}" if after else ""
        page = self.request_page("GET", f"/shops/{shop}?language=en{cursor}")
        return parse_shop_page(page.html) if page.status == 200 else None

    def view_badge(self, shop: str, page: str | None, address: str = VISITOR) -> DisplayedBadge | None:
        """Load the script of the shop's tag, and read what it is to draw."""
        script = self.load_script(f"/w/{shop}.js", {"X-Forwarded-For": address} | ({"Referer": page} if page else {}))
        assert script.status == 200
        if not script.text:
            return None
        badge = json.loads(script.text.rpartition("})(")[2].strip().removesuffix(");"))
        assert badge["siteId"] == shop
        return DisplayedBadge(badge["status"])

    def fetch_statement(self, shop: str, address: str = VISITOR) -> SignedStatement | Rejected:
        response = self.request("GET", f"/v1/verify/{shop}", headers={"X-Forwarded-For": address})
        if response.status != 200:
            return _rejected(response)
        return SignedStatement(json.dumps(response.body).encode(), response.body["statement"])

    def public_keys(self) -> bytes:
        return json.dumps(self.request("GET", "/v1/badge/public-keys").body).encode()


def _subscription_in(page: HtmlResponse) -> Subscription | None:
    """Return what the page says, by the shop that it names and the buttons that are left."""
    if page.status == 404:
        return None
    assert page.status == 200
    can_stop, can_stop_all = '<button class="button button-primary' in page.html, 'name="everywhere"' in page.html
    return Subscription(
        shop_name=html.unescape(page.html.partition("<main")[2].partition("<bdi>")[2].partition("</bdi>")[0]),
        language=Language(page.language),
        stopped=not can_stop,
        stopped_everywhere=not can_stop_all,
        can_resubscribe='value="resubscribe"' in page.html,
    )


def _rejected(response: JsonResponse) -> Rejected:
    wait = response.headers.get("retry-after")
    body = response.body
    return Rejected(code=body["code"], field=body.get("field"), wait_seconds=int(wait) if wait else None)


def _body_of(order: Order, **more: str) -> bytes:
    fields = {
        **more,
        "email": order.email,
        "orderNumber": order.number,
        "language": order.language,
        "delayDays": order.delay_days,
        "signature": order.signature,
    }
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()
