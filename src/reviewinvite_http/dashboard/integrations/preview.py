"""A preview of the badge in a frame of its own: the script of shops' pages draws it. It counts no view. Spec: §10.5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

import attrs
from litestar import Response, route
from litestar.di import NamedDependency
from litestar.params import FromQuery

from reviewinvite_core import Actor, Invalid, accepted
from reviewinvite_core.values import Badge, BadgeLook, ShopReviews, Status, Theme, TrustMark, permissions
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.page import dashboard_page, headers_of
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.pages.page import About
from reviewinvite_http.requests import READ
from reviewinvite_http.responses import PlainResponse
from reviewinvite_http.widget.badge import badge_source

GROUNDS = (Theme.LIGHT, Theme.DARK)
"""The backgrounds on which the badge is shown."""


def look_of(theme: str, size: str, badge_language: str) -> BadgeLook | None:
    """Return the appearance with these values, or None if one of them is none. An empty language is the shop's."""
    try:
        return BadgeLook(theme=theme, size=size, language=badge_language or None)
    except Invalid:
        return None


def chosen_in(stored: BadgeLook, chosen: Mapping[str, Any]) -> tuple[BadgeLook, Sequence[str]]:
    """Return what is stored with what was chosen, and the names of the values that are none, which are left out."""
    look, wrong = stored, []
    for name, value in chosen.items():
        try:
            look = attrs.evolve(look, **{name: value})
        except Invalid:
            wrong.append(name)
    return look, wrong


def preview_query(look: BadgeLook, ground: Theme) -> str:
    """Return the query of a preview; a badge that follows the visitor's device is drawn as on a device like that."""
    theme = ground if look.theme is Theme.AUTO else look.theme
    return urlencode({"ground": ground, "theme": theme, "size": look.size, "badge_language": look.language or ""})


@route("/{site_id:str}/integrations/preview", http_method=READ, opt=needs(permissions.SET_BADGE))
async def preview_page(
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],  # noqa: ARG001 - only an owner of the shop may open it
    theme: FromQuery[str] = "",
    size: FromQuery[str] = "",
    badge_language: FromQuery[str] = "",
    ground: FromQuery[str] = "",
) -> Response[Any]:
    """Return the page in the frame: a background, and the script that draws the badge."""
    look = look_of(theme, size, badge_language) or BadgeLook()
    on = Theme.DARK if ground == Theme.DARK else Theme.LIGHT
    page = dashboard_page(visit, "integrations", template="preview.html", ground=on, query=preview_query(look, on))
    page.headers.update(_IN_OUR_FRAME)
    return page


_IN_OUR_FRAME = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; frame-ancestors 'self'; "
    "base-uri 'none'; form-action 'none'",
    "X-Frame-Options": "SAMEORIGIN",
}


@route("/{site_id:str}/integrations/preview.js", http_method=READ, opt=needs(permissions.SET_BADGE))
async def preview_script(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    theme: FromQuery[str] = "",
    size: FromQuery[str] = "",
    badge_language: FromQuery[str] = "",
) -> Response[bytes]:
    """Return the script of the badge, for the dashboard's own host and with this appearance."""
    look = look_of(theme, size, badge_language) or BadgeLook()
    shown = accepted(await server.app.reviews.show_public(acting.site_id))
    host = urlsplit(visit.address.url).hostname or ""
    script = badge_source(_badge(shown, look, host), About.of(server.app))
    return PlainResponse(script, media_type="text/javascript", headers=headers_of(visit))


def _badge(shown: ShopReviews, look: BadgeLook, host: str) -> Badge:
    """Return the badge as it would be drawn, also for a shop whose badge is not shown at present."""
    return Badge(
        site_id=shown.shop.site_id,
        name=shown.shop.name,
        hosts=(host,),
        status=Status.TRUSTED if shown.shop.trust_mark is TrustMark.GRANTED else Status.UNVERIFIED,
        score=shown.last_12_months,
        theme=look.theme,
        size=look.size,
        language=look.language or shown.shop.language,
    )


HANDLERS = (preview_page, preview_script)
