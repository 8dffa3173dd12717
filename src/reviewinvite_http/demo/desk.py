"""The demo's own pages: the start page that links everything, and the inbox."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import attrs
from litestar import Litestar, get
from litestar.di import NamedDependency, Provide
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect, Response, Template

from reviewinvite_core import Application, accepted
from reviewinvite_http.dashboard.address import DashboardAddress
from reviewinvite_http.dashboard.session_cookie import session_cookie
from reviewinvite_http.dashboard.sign_in.device import device_name
from reviewinvite_http.demo.history import OWNER, REPORTED_NUMBER, SITE_ID
from reviewinvite_http.demo.hosts import DESK, shop_url
from reviewinvite_http.demo.inbox import Inbox, Mail
from reviewinvite_http.demo.templates import TEMPLATES, style_sheet
from reviewinvite_http.requests import AnyRequest, header

_ARRIVES_WITHIN_SECONDS = 5.0
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_FRAMED = "allow-popups allow-popups-to-escape-sandbox"
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

    @property
    def review_url(self) -> str:
        """The link in the invitation for the order that the command has reported, or the inbox without one."""
        mail = self.inbox.about(REPORTED_NUMBER)
        return f"{self.base_url}/r/{mail.token('r')}" if mail else f"{DESK}/inbox"


@get(DESK, sync_to_thread=False)
def start_page(desk: NamedDependency[Desk]) -> Template:
    """Link all that there is to see."""
    return _page("start", desk, mails=len(desk.inbox.mails()), owner=OWNER)


@get(f"{DESK}/inbox")
async def inbox_page(desk: NamedDependency[Desk], order: FromQuery[str | None] = None) -> Template:
    """List all mails, the newest first, and show the newest; given an order, wait a moment for its invitation."""
    mail = await _about(desk.inbox, order) if order else None
    mails = await asyncio.to_thread(desk.inbox.mails)
    return _inbox(desk, mails, mail or next(iter(mails), None), awaited=order if order and not mail else None)


@get(f"{DESK}/inbox/{{name:str}}", sync_to_thread=True)
def mail_page(desk: NamedDependency[Desk], name: FromPath[str]) -> Template:
    """Show a mail beside the list."""
    return _inbox(desk, desk.inbox.mails(), _mail(desk, name))


@get(f"{DESK}/inbox/{{name:str}}/message", sync_to_thread=True)
def message(desk: NamedDependency[Desk], name: FromPath[str]) -> Response[str]:
    """Return a mail's HTML for a frame, in a sandbox where nothing runs, as in a mail program."""
    headers = {"Content-Security-Policy": _FRAMED_POLICY, "Cache-Control": "no-store"}
    return Response(_mail(desk, name).framed, media_type="text/html", headers=headers)


@get(f"{DESK}/dashboard", sync_to_thread=True)
def dashboard(desk: NamedDependency[Desk], request: AnyRequest) -> Redirect:
    """Sign the shop's owner in, in one step in place of the mail and its link, and open the dashboard."""
    address = DashboardAddress.of(desk.app)
    link = accepted(desk.app.members.link(desk.site_id, OWNER)).link
    session = desk.app.sign_in.use_link(link.rpartition("/")[2], device_name(header(request, "user-agent")))
    cookies = [session_cookie(address, session.secret.text)] if session else []
    return Redirect(f"{address.root}/{desk.site_id}/", status_code=303, cookies=cookies)


@get(f"{DESK}/style.css", sync_to_thread=False)
def desk_style() -> Response[str]:
    """Return the style of the demo's pages."""
    return style_sheet("../pages/tokens.css", "../pages/components.css", "desk.css")


async def _about(inbox: Inbox, order_number: str) -> Mail | None:
    """Return the mail about an order as soon as it is there; None if it does not come in time."""
    try:
        async with asyncio.timeout(_ARRIVES_WITHIN_SECONDS):
            while (mail := await asyncio.to_thread(inbox.about, order_number)) is None:
                await asyncio.sleep(0.1)
            return mail
    except TimeoutError:
        return None


def _mail(desk: Desk, name: str) -> Mail:
    found = desk.inbox.mail(name)
    if found is None:
        raise NotFoundException
    return found


def _inbox(desk: Desk, mails: Sequence[Mail], shown: Mail | None, awaited: str | None = None) -> Template:
    return _page("inbox", desk, mails=mails, shown=shown, awaited=awaited, sandbox=_FRAMED)


def _page(name: str, desk: Desk, **values: object) -> Template:
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store"}
    return Template(f"{name}.html", context={"desk": desk, **values}, headers=headers)


def create_desk(desk: Desk) -> Litestar:
    """Return the demo's own pages."""
    return Litestar(
        [start_page, inbox_page, mail_page, message, dashboard, desk_style],
        dependencies={"desk": Provide(lambda: desk, use_cache=True, sync_to_thread=False)},
        template_config=TEMPLATES,
        openapi_config=None,
        logging_config=None,
    )
