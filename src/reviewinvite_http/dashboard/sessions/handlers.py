"""`/dashboard/sessions`: where one is signed in, and how to end that. Spec: §10.3."""

from __future__ import annotations

from typing import Any

from litestar import Response, post, route
from litestar.di import NamedDependency

from reviewinvite_core.values import SignedIn
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.form import Form
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.session_cookie import SESSION, ended
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ, AnyRequest


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
    return dashboard_page(visit, "sessions", sessions=ordered, own=own, done=done)


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
