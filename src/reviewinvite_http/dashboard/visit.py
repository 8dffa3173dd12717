"""A visit: one request to the dashboard, with what every page needs to know about it."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

import attrs
from litestar.datastructures import Cookie

from reviewinvite_core import Language
from reviewinvite_core.values import ShopAccess, SignedIn
from reviewinvite_http.dashboard.address import DashboardAddress, address_of, checked_return_path, path_of
from reviewinvite_http.dashboard.form import form_token
from reviewinvite_http.dashboard.session_cookie import LANGUAGE, cookie_in, language_cookie, session_secret
from reviewinvite_http.negotiation import preferred_language
from reviewinvite_http.requests import READ, AnyRequest, header

_KEY = "reviewinvite.dashboard_language"
_OF_ONE_VIEW = ("language", "done")
"""Parameters of an address that a link to the same page in another language does not take along."""


@attrs.frozen(kw_only=True)
class Visit:
    """One request: its language, the token of the forms on its page, who is signed in, and for which shop.

    `cookies` go out with the page. `here` is the page's own address, to which `language=...` can be added.
    `read_path` is the path and the query of a page that is read, or None, as for a form that is sent. `is_recent` is
    whether the sign-in was within the last 15 minutes.
    """

    address: DashboardAddress
    language: Language
    token: str
    here: str
    cookies: list[Cookie]
    is_partial: bool
    read_path: str | None = None
    is_recent: bool = False
    signed_in: SignedIn | None = None
    shop: ShopAccess | None = None

    @property
    def root(self) -> str:
        """Path of the dashboard."""
        return self.address.root

    @property
    def shop_root(self) -> str:
        """Path of the shop's sections."""
        return f"{self.root}/{self.shop.site_id.segment}" if self.shop else self.root


def visit_of(
    request: AnyRequest,
    signed_in: SignedIn | None = None,
    shop: ShopAccess | None = None,
    *,
    is_recent: bool = False,
    language: Language | None = None,
) -> Visit:
    """Return the visit of a request; `signed_in` is left out where storage has not been asked.

    `language` is that of the reader, if it is known; otherwise the browser says it.
    """
    address, secret, here = address_of(request), session_secret(request), _here(request)
    wanted = request.query_params.get("language")
    kept: Language | None = cast("dict[str, Any]", request.scope).get(_KEY)
    known = language or (signed_in.member.language if signed_in else kept)
    return Visit(
        address=address,
        language=_language(request, wanted, known),
        token=form_token(secret) if secret else "",
        here=here,
        cookies=[language_cookie(address, wanted)] if wanted in set(Language) else [],
        is_partial=header(request, "hx-request") == "true" and header(request, "hx-boosted") is None,
        read_path=checked_return_path(address.root, here.rstrip("?&")) if request.method in READ else None,
        is_recent=is_recent,
        signed_in=signed_in,
        shop=shop,
    )


def keep_language(request: AnyRequest, language: Language) -> None:
    """Keep the member's language with the request, for the page of a failure."""
    cast("dict[str, Any]", request.scope)[_KEY] = language


def _language(request: AnyRequest, wanted: str | None, known: Language | None) -> Language:
    """Return the language that was chosen now or before, or else the reader's, or else the browser's."""
    for chosen in (wanted, cookie_in(request, LANGUAGE)):
        if chosen in set(Language):
            return Language(chosen)
    return known or preferred_language(header(request, "accept-language") or "")


def _here(request: AnyRequest) -> str:
    """Return the path and the query of this page, or of the page whose form was sent, ending with `?` or `&`."""
    path, _, query = path_of(request).partition("?")
    kept = [(name, value) for name, value in parse_qsl(query) if name not in _OF_ONE_VIEW]
    return f"{path}?{urlencode(kept)}&" if kept else f"{path}?"
