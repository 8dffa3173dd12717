"""Signing in and out, a member's sessions, and the shops to choose from. Spec: §10.1 to §10.3."""

from __future__ import annotations

from typing import Any

from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.params import FromPath

from reviewinvite_core import ClientAddress, Invalid
from reviewinvite_core.values import SignedIn
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.address import RETURN_FIELD, checked_return_path
from reviewinvite_http.dashboard.dependencies import current_session
from reviewinvite_http.dashboard.form import Form
from reviewinvite_http.dashboard.form_guard import BEFORE_SIGN_IN
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.session_cookie import (
    DEVICE,
    RETURN,
    SESSION,
    cookie_in,
    device_cookie,
    ended,
    return_cookie,
    session_cookie,
    session_secret,
)
from reviewinvite_http.dashboard.visit import Visit, visit_of
from reviewinvite_http.requests import READ, AnyRequest, header

_BROWSERS = (
    ("edg", "Edge"),
    ("opr/", "Opera"),
    ("samsungbrowser", "Samsung Internet"),
    ("firefox", "Firefox"),
    ("fxios", "Firefox"),
    ("chrome", "Chrome"),
    ("crios", "Chrome"),
    ("safari", "Safari"),
    ("curl", "curl"),
)
_SYSTEMS = (
    ("iphone", "iPhone"),
    ("ipad", "iPad"),
    ("android", "Android"),
    ("windows", "Windows"),
    ("mac os", "macOS"),
    ("cros", "ChromeOS"),
    ("linux", "Linux"),
)


@route("/sign-in", http_method=READ)
async def sign_in_page(server: NamedDependency[ServerContext], request: AnyRequest) -> Response[Any]:
    """Ask for the e-mail address, or lead on; who is signed in already may need a new sign-in for a step."""
    visit = visit_of(request)
    wanted = checked_return_path(visit.root, request.query_params.get(RETURN_FIELD))
    current = await current_session(server, request)
    if current and wanted is None:
        return see_other(visit, f"{visit.root}/", visit.cookies)
    email = current.member.email if current else ""
    done = request.query_params.get("done") == "out"
    return dashboard_page(visit, "sign_in", wanted=wanted, email=email, done=done)


@post("/sign-in", status_code=200, opt=BEFORE_SIGN_IN)
async def request_link(
    server: NamedDependency[ServerContext],
    request: AnyRequest,
    client: NamedDependency[ClientAddress],
    form: NamedDependency[Form],
) -> Response[Any]:
    """Send a link to the address if a member has it; the answer is the same if not."""
    visit, email = visit_of(request), form.text("email").strip()
    wanted = checked_return_path(visit.root, form.text(RETURN_FIELD))
    try:
        await server.app.sign_in.request_link(email, client, cookie_in(request, DEVICE))
    except Invalid:
        return dashboard_page(visit, "sign_in", status=422, email=email, wanted=wanted, is_wrong=True)
    cookies = [return_cookie(visit.address, wanted)] if wanted else []
    return dashboard_page(visit, "sign_in", template="sent.html", cookies=cookies, email=email)


@route("/sign-in/{token:str}", http_method=READ)
async def link_page(server: NamedDependency[ServerContext], request: AnyRequest, token: FromPath[str]) -> Response[Any]:
    """Show whom the link signs in, and a button; a GET changes nothing, because mail scanners follow links."""
    offer = await server.app.sign_in.show_link(token)
    if offer is None:
        return dashboard_page(visit_of(request), "sign_in", status=404, is_dead=True)
    return dashboard_page(visit_of(request, language=offer.language), "sign_in", template="link.html", offer=offer)


@post("/sign-in/{token:str}", opt=BEFORE_SIGN_IN)
async def use_link(server: NamedDependency[ServerContext], request: AnyRequest, token: FromPath[str]) -> Response[Any]:
    """Begin a session with a new id, end the one that this browser had, and go where the member was about to go."""
    visit = visit_of(request)
    device = device_name(header(request, "user-agent"))
    begun = await server.app.sign_in.use_link(token, device, session_secret(request))
    if begun is None:
        return dashboard_page(visit, "sign_in", status=404, is_dead=True)
    wanted = checked_return_path(visit.root, cookie_in(request, RETURN))
    device_kept = device_cookie(visit.address, begun.session.device_token)
    cookies = [session_cookie(visit.address, begun.secret.text), device_kept, *ended(visit.address, RETURN)]
    return see_other(visit, wanted or f"{visit.root}/", cookies)


@post("/sign-out")
async def sign_out(server: NamedDependency[ServerContext], request: AnyRequest) -> Response[Any]:
    """End this browser's session, in which nobody needs to be signed in any more."""
    visit = visit_of(request)
    await server.app.sign_in.sign_out(session_secret(request) or "")
    return see_other(visit, f"{visit.root}/sign-in?done=out", ended(visit.address, SESSION))


@route("/sessions", http_method=READ)
async def sessions_page(
    server: NamedDependency[ServerContext],
    request: AnyRequest,
    visit: NamedDependency[Visit],
    signed_in: NamedDependency[SignedIn],
) -> Response[Any]:
    """List the sessions of the member, the one in use first."""
    sessions = await server.app.sign_in.list_sessions(signed_in)
    own = signed_in.session.session_id
    ordered = sorted(sessions, key=lambda each: (each.session_id == own, each.last_seen_at), reverse=True)
    done = request.query_params.get("done")
    return dashboard_page(visit, "sign_in", template="sessions.html", sessions=ordered, own=own, done=done)


@post("/sessions")
async def end_session(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    signed_in: NamedDependency[SignedIn],
    form: NamedDependency[Form],
) -> Response[Any]:
    """End one of the member's sessions; one that has ended already, or is another's, changes nothing."""
    session_id = form.text("session_id")
    await server.app.sign_in.end_session(signed_in, session_id)
    if session_id == signed_in.session.session_id:
        return see_other(visit, f"{visit.root}/sign-in?done=out", ended(visit.address, SESSION))
    return see_other(visit, f"{visit.root}/sessions?done=ended")


@post("/sessions/others")
async def end_other_sessions(
    server: NamedDependency[ServerContext], visit: NamedDependency[Visit], signed_in: NamedDependency[SignedIn]
) -> Response[Any]:
    """End all of the member's sessions but the one in use."""
    await server.app.sign_in.end_other_sessions(signed_in)
    return see_other(visit, f"{visit.root}/sessions?done=others")


@route("/", http_method=READ)
async def shops_page(visit: NamedDependency[Visit], signed_in: NamedDependency[SignedIn]) -> Response[Any]:
    """Show the shops of the member; lead on to the only one."""
    if len(signed_in.shops) == 1:
        return see_other(visit, f"{visit.root}/{signed_in.shops[0].site_id.segment}/", visit.cookies)
    return dashboard_page(visit, "sign_in", template="shops.html")


def device_name(user_agent: str | None) -> str:
    """Return a name such as `Firefox, Windows`, or an empty text if the browser says nothing that is known.

    Only names from the lists above come out, so nothing that a client writes is shown or mailed.
    """
    said = (user_agent or "").lower()
    return ", ".join(
        found
        for names in (_BROWSERS, _SYSTEMS)
        if (found := next((name for part, name in names if part in said), None)) is not None
    )


HANDLERS = (
    *(sign_in_page, request_link, link_page, use_link, sign_out),
    *(sessions_page, end_session, end_other_sessions),
    shops_page,
)
