"""A member's browser over HTTP: it opens pages, fills in their forms and keeps cookies, as real ones do."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from http.cookies import SimpleCookie
from typing import TypeAlias
from urllib.parse import urlencode, urljoin, urlsplit

import attrs
from features.drivers.html_form import HtmlForm, forms_in
from features.drivers.member_browser import ListedSession, MemberBrowser, Outcome

ROOT = "/dashboard"
SIGN_IN = f"{ROOT}/sign-in"
FORM = "application/x-www-form-urlencoded"
SEE_OTHER = 303

Exchange: TypeAlias = Callable[[str, str, bytes | None, Mapping[str, str]], tuple[int, Mapping[str, str], str]]
"""Sends a request: method, path, body and headers; returns the response's status, headers and text."""

_OFFER = re.compile(r'<strong><bdi class="address">(.*?)</bdi></strong>')
_SIGN_IN_AGAIN = f"{SIGN_IN}?next="
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+\w")
_SHOP = re.compile(r"<bdi>([\w-]+)</bdi> ·\s+(owner|staff)")
_STEP_TO_DO = re.compile(r"<li>\s*<span class=\"step-mark\">")
_REVIEW = re.compile(r'href="([^"]+/reviews/[0-9a-f-]{36})"')
_SESSION = re.compile(r'<strong><bdi>([^<]*)</bdi>(?:(?!<strong>).)*?name="session_id" value="(\w+)"', re.DOTALL)


@attrs.frozen
class DashboardPage:
    """A page as a browser has it, at the path to which redirects led."""

    path: str
    status: int
    html: str

    def form(self, *names: str, **values: str) -> HtmlForm:
        """Return the first form that has fields or buttons of these names, and these values."""
        for form in forms_in(self.html):
            if form.has(*names) and values.items() <= form.values.items():
                return form
        message = f"{self.path} ({self.status}) has no form with {names} {values}: {self.html}"
        raise AssertionError(message)


class HttpBrowser(MemberBrowser):
    """A browser that sends requests by `exchange`, and says where they come from."""

    def __init__(self, device: str, exchange: Exchange, origin: Callable[[], str]) -> None:
        super().__init__(device)
        self._exchange = exchange
        self._origin = origin
        self._cookies: dict[str, str] = {}

    # --- pages and forms --------------------------------------------------------------------------------------------

    def open(self, path: str) -> DashboardPage:
        """Open a page, and go where it leads."""
        return self._follow("GET", path)

    def submit(self, page: DashboardPage, form: HtmlForm, **entries: str) -> DashboardPage:
        """Fill in a form of a page, send it, and go where that leads."""
        body = urlencode(form.filled_in(**entries)).encode()
        return self._follow("POST", urljoin(page.path, form.action), body)

    def _follow(self, method: str, path: str, body: bytes | None = None, **headers: str) -> DashboardPage:
        status, answered, text = self._send(method, path, body, headers)
        if status == SEE_OTHER:
            return self._follow("GET", urljoin(path, answered["location"]))
        return DashboardPage(path, status, text)

    def _send(
        self, method: str, path: str, body: bytes | None, more: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str], str]:
        headers = {"User-Agent": self.device, "Accept-Language": "en", **more}
        if self._cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        if method == "POST":
            headers |= {"Content-Type": FORM, "Sec-Fetch-Site": "same-origin", "Origin": self._origin()}
        parts = urlsplit(path)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        status, answered, text = self._exchange(method, target, body, headers)
        for line in answered.get("set-cookie", "").splitlines():
            for name, cookie in SimpleCookie(line).items():
                self._cookies.pop(name, None)
                if cookie["max-age"] != "0":
                    self._cookies[name] = cookie.value
        return status, answered, text

    # --- signing in -------------------------------------------------------------------------------------------------

    def ask_for_link(self, email: str, address: str) -> str:
        page = self.open(SIGN_IN)
        body = urlencode(page.form("email").filled_in(email=email)).encode()
        answer = self._follow("POST", SIGN_IN, body, **{"X-Forwarded-For": address})
        assert answer.status == 200
        return _ADDRESS.sub("ADDRESS", answer.html)

    def open_link(self, link: str) -> str | None:
        page = self.open(link)
        if page.status == 404:
            return None
        assert page.status == 200
        page.form("sign-in")
        [offered] = _OFFER.findall(page.html)
        return html.unescape(offered)

    def press_button(self, link: str) -> bool:
        """Press the button, although a page that was opened meanwhile may not show it any more."""
        before = dict(self._cookies)
        page = self._follow("POST", link, b"sign-in=")
        assert page.status in {200, 404}
        return self._cookies != before

    def roles(self) -> Mapping[str, str] | None:
        page = self.open(f"{ROOT}/sessions")
        if page.path.startswith(SIGN_IN):
            return None
        return dict(_SHOP.findall(self.open(f"{ROOT}?language=en").html))

    def sessions(self) -> Sequence[ListedSession]:
        found = _SESSION.findall(self.open(f"{ROOT}/sessions").html)
        return [ListedSession(session_id, html.unescape(device)) for device, session_id in found]

    def end_session(self, session_id: str) -> None:
        """End a session by the form of one's own, although the list may not have this one."""
        page = self.open(f"{ROOT}/sessions")
        form = page.form("session_id")
        form.values["session_id"] = session_id
        self.submit(page, form)

    def end_other_sessions(self) -> None:
        page = self.open(f"{ROOT}/sessions")
        self.submit(page, _sent_to(page, f"{ROOT}/sessions/others"))

    def sign_out(self) -> None:
        page = self.open(f"{ROOT}/sessions")
        self.submit(page, page.form("sign-out"))

    # --- at a shop --------------------------------------------------------------------------------------------------

    def open_shop(self, shop: str) -> None:
        assert self.open(f"{ROOT}/{shop}").status == 200

    def cancel(self, shop: str, invite_id: str) -> Outcome:
        return self._do(shop, f"invitations/{invite_id}", "cancel")

    def set_delay(self, shop: str, days: int) -> Outcome:
        return self._do(shop, "settings", delay_days=str(days))

    def rename(self, shop: str, name: str) -> Outcome:
        return self._do(shop, "settings", name=name)

    def set_reply_to(self, shop: str, reply_to: str) -> Outcome:
        return self._do(shop, "settings", reply_to=reply_to)

    def withdraw_name(self, shop: str) -> Outcome:
        page = self.open(f"{ROOT}/{shop}/settings")
        return self._outcome(shop, self.submit(page, _sent_to(page, f"{ROOT}/{shop}/settings/name/withdraw")))

    def make_key(self, shop: str) -> Outcome:
        return self._do(shop, "integrations", label="made by a member")

    def add_member(self, shop: str, email: str, role: str) -> Outcome:
        return self._do(shop, "members", email=email, role=role)

    def change_role(self, shop: str, email: str, role: str) -> Outcome:
        page = self.open(f"{ROOT}/{shop}/members")
        [address] = re.findall(rf'href="([^"]+)/remove">[^\n]*: {re.escape(email)}<', page.html)
        form = _sent_to(page, f"{address}/role")
        assert form.values["role"] == role, "there is a button for the other role only"
        return self._outcome(shop, self.submit(page, form))

    def remove_member(self, shop: str, email: str) -> Outcome:
        page = self.open(f"{ROOT}/{shop}/members")
        [address] = re.findall(rf'href="([^"]+/remove)">[^\n]*: {re.escape(email)}<', page.html)
        return self._confirm(shop, address, "/remove")

    def revoke_key(self, shop: str) -> Outcome:
        page = self.open(f"{ROOT}/{shop}/integrations")
        return self._confirm(shop, re.findall(r'href="([^"]+/revoke)"', page.html)[0], "/revoke")

    # --- what only pages have ---------------------------------------------------------------------------------------

    def steps_left(self, shop: str) -> int:
        """Return how many steps of the overview's list are to do; 0 if the list is gone."""
        page = self.open(f"{ROOT}/{shop}/")
        assert page.status == 200
        return len(_STEP_TO_DO.findall(page.html))

    def add_domain(self, shop: str, host: str) -> str:
        """Add a domain, and return what the page says that is to be published."""
        page = self.open(f"{ROOT}/{shop}/integrations")
        return _copied(self.submit(page, page.form("host"), host=host), "proof-1")

    def is_proved(self, shop: str, host: str) -> bool:
        """Have a domain checked; return whether the page says that it is verified."""
        page = self.open(f"{ROOT}/{shop}/integrations")
        return "chip-ok" in self.submit(page, _sent_to(page, f"/{host}/check")).html

    def new_key(self, shop: str) -> str:
        """Create an API key, and return it as the page shows it, this once."""
        page = self.open(f"{ROOT}/{shop}/integrations")
        return _copied(self.submit(page, page.form("label"), label="web shop"), "key")

    def send_now(self, shop: str, invite_id: str) -> None:
        """Send an invitation at once."""
        page = self.open(f"{ROOT}/{shop}/invitations/{invite_id}/send-now")
        assert self.submit(page, _sent_to(page, "/send-now")).status == 200

    def reply(self, shop: str, text: str) -> None:
        """Reply to the review at the top of the list."""
        listed = self.open(f"{ROOT}/{shop}/reviews")
        page = self.open(_REVIEW.findall(listed.html)[0])
        assert self.submit(page, page.form("text"), text=text).status == 200

    # --- forms and outcomes -----------------------------------------------------------------------------------------

    def _do(self, shop: str, section: str, *buttons: str, **entries: str) -> Outcome:
        """Open a page of a shop, and send its form with these buttons and fields, unless it does not have it."""
        page = self.open(f"{ROOT}/{shop}/{section}")
        if page.status != 200:
            return self._outcome(shop, page)
        if not any(form.has(*buttons, *entries) for form in forms_in(page.html)):
            assert _SIGN_IN_AGAIN in page.html, page
            return Outcome.SIGN_IN_TOO_OLD
        return self._outcome(shop, self.submit(page, page.form(*buttons, *entries), **entries))

    def _confirm(self, shop: str, address: str, action: str) -> Outcome:
        """Confirm what a page asks, unless it asks for a new sign-in."""
        question = self.open(address)
        if _SIGN_IN_AGAIN in question.html:
            return Outcome.SIGN_IN_TOO_OLD
        return self._outcome(shop, self.submit(question, _sent_to(question, action)))

    def _outcome(self, shop: str, page: DashboardPage) -> Outcome:
        """Return what a page says of what was asked of it."""
        match page.status:
            case 200:
                return Outcome.DONE
            case 403:
                return Outcome.SIGN_IN_TOO_OLD if _SIGN_IN_AGAIN in page.html else Outcome.ROLE_REFUSED
            case 404:
                is_known = self.open(f"{ROOT}/{shop}/reviews").status == 200
                return Outcome.UNKNOWN if is_known else Outcome.SHOP_UNKNOWN
            case 429:
                return Outcome.LIMIT_REACHED
        assert (page.status, 'role="alert"' in page.html) == (409, True), page
        return Outcome.LAST_OWNER


def _sent_to(page: DashboardPage, address: str) -> HtmlForm:
    """Return the form of a page that is sent to an address with this end."""
    [found] = [form for form in forms_in(page.html) if form.action.endswith(address)]
    return found


def _copied(page: DashboardPage, identifier: str) -> str:
    """Return a text that a page offers to copy."""
    [found] = re.findall(rf'<pre id="{identifier}"[^>]*><code>(.*?)</code>', page.html, re.DOTALL)
    return html.unescape(found)
