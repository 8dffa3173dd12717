"""Admit a form only if a page of the dashboard sent it, in the browser that it was made for. Spec: §10.4.

This keeps other sites from acting in a member's name (CSRF). Two things are checked, and each alone stops a form of
another site. The browser says where the request comes from: `Sec-Fetch-Site: same-origin`, or, from an older one, an
`Origin` equal to that of `DASHBOARD_URL`. And the form holds a token that only pages made for the holder of the session
have. Before the sign-in there is no session to tie a token to: there, the first check keeps foreign pages from signing
somebody in to a stranger's account.

If the session has ended, the answer to a form is a page with what was typed and a button that sends it again. Only a
form that passed the first check gets it, so no other site can make such a page, let alone one that sends itself. It has
no token of a later session. Sent again after the sign-in, its form is answered by a page that has one, and shows once
more what is about to be sent: whoever is signed in by then, perhaps another member, decides.
"""

from __future__ import annotations

import hmac

from litestar import HttpMethod, Response
from litestar.exceptions import NotFoundException
from litestar.routes import HTTPRoute

from reviewinvite_http.dashboard.address import address_of
from reviewinvite_http.dashboard.form import TOKEN_FIELD, form_token, read_form
from reviewinvite_http.dashboard.page import headers_of
from reviewinvite_http.dashboard.problems import ForeignForm, NotEncrypted, NotSignedIn, StaleForm
from reviewinvite_http.dashboard.session_cookie import session_secret
from reviewinvite_http.dashboard.visit import visit_of
from reviewinvite_http.requests import READ, AnyRequest, header

BEFORE_SIGN_IN = {"before_sign_in": True}
"""Option of a handler whose forms may be sent by people who are not signed in."""


def is_own(fetch_site: str | None, origin: str | None, own_origin: str) -> bool:
    """Return whether the browser says that a request comes from our own pages; saying nothing is not enough."""
    return fetch_site == "same-origin" if fetch_site is not None else origin == own_origin


async def guard_request(request: AnyRequest) -> Response[None] | None:
    """Check a request before its handler runs, above all the form of one that may change something.

    Return the answer to OPTIONS, which says nothing about sessions, shops or members; None leads to the handler.

    Raises: `NotFoundException` at another host than the dashboard's own; `NotEncrypted` if others could listen;
    `ForeignForm`, `NotSignedIn` or `StaleForm`; as `read_form`.
    """
    address = address_of(request)
    if address.is_apart and not address.is_at(header(request, "host") or ""):
        raise NotFoundException
    if not address.keeps_secrets:
        raise NotEncrypted
    if request.method == HttpMethod.OPTIONS:
        return _allowed_methods(request)
    if request.method in READ:
        return None
    if not is_own(header(request, "sec-fetch-site"), header(request, "origin"), address.origin):
        raise ForeignForm
    form = await read_form(request)
    if request.route_handler.opt.get("before_sign_in", False):
        return None
    secret = session_secret(request)
    if secret is None:
        raise NotSignedIn
    if not hmac.compare_digest(form_token(secret).encode(), form.text(TOKEN_FIELD).encode()):
        raise StaleForm
    return None


def _allowed_methods(request: AnyRequest) -> Response[None]:
    """Return the methods of an address; Litestar gives each of its handlers a route of its own."""
    path = request.scope["path_template"]
    routes = [each for each in request.app.routes if isinstance(each, HTTPRoute) and each.path_format == path]
    methods = {method for each in routes for method in each.methods}
    headers = {**headers_of(visit_of(request)), "Allow": ", ".join(sorted(methods))}
    return Response(None, status_code=204, headers=headers)
