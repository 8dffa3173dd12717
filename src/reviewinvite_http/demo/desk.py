"""The demo's own pages: the start page that links everything, and the inbox."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import attrs
from litestar import Litestar, get
from litestar.di import NamedDependency, Provide
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Response, Template

from reviewinvite_core import Application, Language, accepted
from reviewinvite_core.texts.catalogue import texts_in
from reviewinvite_http.dashboard.address import DashboardAddress
from reviewinvite_http.dashboard.session_cookie import SESSION, ended, session_cookie
from reviewinvite_http.dashboard.sign_in.handlers import device_name
from reviewinvite_http.demo.bar import STYLE
from reviewinvite_http.demo.history import NEW_SHOP, OWNER, REPORTED_NUMBER, SITE_ID
from reviewinvite_http.demo.hosts import DESK, shop_url
from reviewinvite_http.demo.inbox import Inbox, Mail
from reviewinvite_http.demo.templates import TEMPLATES, language_cookie, language_of, page, script, style_sheet
from reviewinvite_http.requests import AnyRequest, header

_ARRIVES_WITHIN_SECONDS = 5.0
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; frame-src 'self'; "
    "form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_FRAMED = "allow-same-origin allow-popups allow-popups-to-escape-sandbox"  # the page measures the mail; no script runs
_FRAMED_POLICY = (
    f"sandbox {_FRAMED}; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)


@attrs.frozen(kw_only=True)
class Desk:
    """What the demo's pages link to."""

    app: Application
    inbox: Inbox
    site_id: str = SITE_ID

    @property
    def base_url(self) -> str:
        """The URL of the service."""
        return self.app.base_url

    @property
    def shop_url(self) -> str:
        """The URL of the demo's shop."""
        return shop_url(self.base_url)

    def review_url(self, language: Language) -> str:
        """Return the link in the invitation for the order that the command has reported, or the inbox without one."""
        mail = self.inbox.about(REPORTED_NUMBER)
        return f"{self.base_url}/r/{mail.token('r')}?language={language}" if mail else f"{DESK}/inbox"


@get(DESK, sync_to_thread=True)
def start_page(desk: NamedDependency[Desk], request: AnyRequest) -> Template:
    """Link all that there is to see."""
    return page(request, "start", _POLICY, desk=desk, owner=OWNER, number=REPORTED_NUMBER)


@get(f"{DESK}/inbox")
async def inbox_page(
    desk: NamedDependency[Desk], request: AnyRequest, order: FromQuery[str | None] = None
) -> Template | Redirect:
    """List the mails; given an order, wait a moment for its invitation and lead to it."""
    mail = await _about(desk.inbox, order) if order else None
    if mail:
        cookies = [language_cookie(language_of(request))]
        return Redirect(f"{DESK}/inbox/{mail.name}", status_code=303, cookies=cookies)
    mails = await asyncio.to_thread(desk.inbox.mails)
    return _inbox(desk, request, mails, next(iter(mails), None), is_open=False, awaited=order)


@get(f"{DESK}/inbox/{{name:str}}", sync_to_thread=True)
def mail_page(desk: NamedDependency[Desk], request: AnyRequest, name: FromPath[str]) -> Template:
    """Show a mail; beside the list if there is room."""
    return _inbox(desk, request, desk.inbox.mails(), _mail(desk, name))


@get(f"{DESK}/inbox/{{name:str}}/message", sync_to_thread=True)
def message(desk: NamedDependency[Desk], name: FromPath[str]) -> Response[str]:
    """Return a mail's HTML for a frame, in a sandbox where nothing runs, as in a mail program."""
    headers = {"Content-Security-Policy": _FRAMED_POLICY, "Cache-Control": "no-store"}
    return Response(_mail(desk, name).framed, media_type="text/html", headers=headers)


@get(f"{DESK}/dashboard", sync_to_thread=True)
def dashboard(desk: NamedDependency[Desk], request: AnyRequest) -> Redirect:
    """Open the dashboard of the shop."""
    return _signed_in(desk, request, SITE_ID)


@get(f"{DESK}/new-shop", sync_to_thread=True)
def new_shop(desk: NamedDependency[Desk], request: AnyRequest) -> Redirect:
    """Open the dashboard of the second shop."""
    return _signed_in(desk, request, NEW_SHOP.site_id)


@get(f"{DESK}/sign-in", sync_to_thread=True)
def sign_in(desk: NamedDependency[Desk], request: AnyRequest) -> Redirect:
    """Sign out, as only then there is something to sign in to, and open the page that asks for the address."""
    address = DashboardAddress.of(desk.app)
    desk.app.sign_in.sign_out(request.cookies.get(address.cookie(SESSION)) or "")
    cookies = [*ended(address, SESSION), language_cookie(language_of(request))]
    return Redirect(f"{address.root}/sign-in", status_code=303, cookies=cookies)


@get(f"{DESK}/style.css", sync_to_thread=False)
def desk_style() -> Response[str]:
    """Return the style of the demo's pages."""
    return style_sheet("../pages/tokens.css", "../pages/components.css", "desk.css")


@get(STYLE, sync_to_thread=False)
def bar_style() -> Response[str]:
    """Return the style of the bar on the service's pages."""
    return style_sheet("bar.css")


@get(f"{DESK}/script.js", sync_to_thread=False)
def desk_script() -> Response[str]:
    """Return the script of the demo's pages."""
    return script("desk.js")


def _absent(request: AnyRequest, _: Exception) -> Template:
    """Return the page that stands in for a page or a mail that does not exist."""
    return page(request, "absent", _POLICY, status=404)


async def _about(inbox: Inbox, order_number: str) -> Mail | None:
    """Return the mail about an order as soon as it is there; None if it does not come in time."""
    try:
        async with asyncio.timeout(_ARRIVES_WITHIN_SECONDS):
            while (mail := await asyncio.to_thread(inbox.about, order_number)) is None:
                await asyncio.sleep(0.1)
            return mail
    except TimeoutError:
        return None


def _signed_in(desk: Desk, request: AnyRequest, site_id: str) -> Redirect:
    """Sign the shops' owner in, in one step in place of the mail and its link, and open the dashboard of a shop."""
    address = DashboardAddress.of(desk.app)
    cookies = [language_cookie(language_of(request))]
    before = request.cookies.get(address.cookie(SESSION)) or ""
    current = desk.app.sign_in.resume(before)
    if current is None or current.member.email != OWNER:
        link = accepted(desk.app.members.link(SITE_ID, OWNER)).link
        device = device_name(header(request, "user-agent"))
        session = desk.app.sign_in.use_link(link.rpartition("/")[2], device, before)
        cookies += [session_cookie(address, session.secret.text)] if session else []
    return Redirect(f"{address.root}/{site_id}/", status_code=303, cookies=cookies)


def _mail(desk: Desk, name: str) -> Mail:
    found = desk.inbox.mail(name)
    if found is None:
        raise NotFoundException
    return found


def _inbox(
    desk: Desk,
    request: AnyRequest,
    mails: Sequence[Mail],
    shown: Mail | None,
    *,
    is_open: bool = True,
    awaited: str | None = None,
) -> Template:
    """Return the inbox; a narrow window shows the mail if it `is_open`, and the list otherwise."""
    values: dict[str, Any] = {
        "mails": mails,
        "shown": shown,
        "is_open": is_open,
        "awaited": awaited,
        "sandbox": _FRAMED,
    }
    short_day = texts_in(language_of(request)).short_day
    return page(request, "inbox", _POLICY, desk=desk, short_day=short_day, **values)


def create_desk(desk: Desk) -> Litestar:
    """Return the demo's own pages."""
    return Litestar(
        [start_page, inbox_page, mail_page, message, dashboard, new_shop, sign_in, desk_style, bar_style, desk_script],
        dependencies={"desk": Provide(lambda: desk, use_cache=True, sync_to_thread=False)},
        exception_handlers={NotFoundException: _absent},
        template_config=TEMPLATES,
        openapi_config=None,
        logging_config=None,
    )
