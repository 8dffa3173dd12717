"""Render the dashboard's pages, with headers that let nobody else show, read, keep or script them. Spec: §10.4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from litestar import Response
from litestar.datastructures import Cookie
from litestar.response import Template

from reviewinvite_core.texts.catalogue import gettext_noop, texts_in
from reviewinvite_core.values import permissions
from reviewinvite_http.dashboard.assets import assets_version
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.pages.page import HTML

SECTIONS = (
    ("overview", gettext_noop("Overview"), permissions.SEE_OVERVIEW),
    ("reviews", gettext_noop("Reviews"), permissions.SEE_REVIEWS),
    ("invitations", gettext_noop("Invitations"), permissions.SEE_INVITATIONS),
    ("integrations", gettext_noop("Integrations"), permissions.SEE_KEYS),
    ("settings", gettext_noop("Settings"), permissions.SEE_SETTINGS),
    ("members", gettext_noop("Members"), permissions.SEE_MEMBERS),
    ("activity", gettext_noop("Activity"), permissions.SEE_ACTIVITY),
)
"""Sections of a shop in their order: key, name, and the permission that is needed. Spec: §10.5."""

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; {frames}"
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY.format(frames=""),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with none at all, browsers say `Origin: null` of our own forms
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
}
_WITH_FRAMES = {**_HEADERS, "Content-Security-Policy": _POLICY.format(frames="frame-src 'self'; ")}
_OVER_HTTPS = {"Strict-Transport-Security": "max-age=31536000"}


def headers_of(visit: Visit, *, frames: bool = False) -> dict[str, str]:
    """Return the header fields of every response of the dashboard; `frames` allows to embed our own pages."""
    more = _OVER_HTTPS if visit.address.is_secure else {}
    return {**(_WITH_FRAMES if frames else _HEADERS), **more, "Content-Language": visit.language}


def dashboard_page(
    visit: Visit,
    name: str,
    /,
    *,
    status: int = 200,
    cookies: Sequence[Cookie] = (),
    frames: bool = False,
    template: str = "page.html",
    **values: object,
) -> Template:
    """Return a page of the section with this name, from its `page.html` or another template in its folder.

    All templates know what `shell.html` needs, `shop_url`, below which the shop's sections are, `public_url`, that of
    the shop's public page, `page_url`, the section's own address, `return_url`, where a new sign-in leads back to, and
    `is_recent`, whether the member may do what needs a recent sign-in.
    """
    context = {
        "section": name,
        "dashboard_url": visit.root,
        "shop_url": visit.shop_root,
        "public_url": f"{visit.address.base_url}/shops/{visit.shop.site_id}" if visit.shop else "",
        "page_url": f"{visit.shop_root}/{name}",
        "return_url": visit.read_path or f"{visit.shop_root}/{name}",
        "assets_url": f"{visit.root}/assets/{assets_version()}",
        "here": visit.here,
        "csrf_token": visit.token,
        "member": visit.signed_in.member if visit.signed_in else None,
        "shops": visit.signed_in.shops if visit.signed_in else (),
        "shop": visit.shop,
        "is_recent": visit.is_recent,
        "nav": list(_nav(visit)),
        **values,
    }
    return Template(
        f"{visit.language}:{name}/{template}",
        context=context,
        status_code=status,
        media_type=HTML,
        headers=headers_of(visit, frames=frames),
        cookies=[*visit.cookies, *cookies],
    )


def _nav(visit: Visit) -> Iterator[tuple[str, str, str]]:
    """Yield key, name and address of each section that the member may open."""
    if visit.shop is None:
        return
    texts = texts_in(visit.language)
    for key, name, needed in SECTIONS:
        if visit.shop.role.includes(needed.role):
            yield key, texts.gettext(name), f"{visit.shop_root}/{key if key != 'overview' else ''}"


def see_other(visit: Visit, url: str, cookies: Sequence[Cookie] = ()) -> Response[bytes]:
    """Return a redirect, after a form so that reloading the next page does not send the form again."""
    headers = {**headers_of(visit), "Location": url}
    return Response(b"", status_code=303, media_type=HTML, headers=headers, cookies=list(cookies))
