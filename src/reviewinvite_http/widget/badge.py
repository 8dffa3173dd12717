"""`GET /w/<site_id>.js`: the badge. Spec: §4.3, ADR-25."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from litestar import route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from reviewinvite_core import ClientAddress, StorageUnavailable
from reviewinvite_core.domain.embedding import javascript_literal
from reviewinvite_core.texts.catalogue import texts_in
from reviewinvite_core.values import Badge, BadgeShown
from reviewinvite_http.context import ServerContext
from reviewinvite_http.pages.page import About
from reviewinvite_http.requests import READ, AnyRequest, header
from reviewinvite_http.responses import NO_STORE
from reviewinvite_http.view_counting import count_mode, log_view
from reviewinvite_http.widget.scripts import BADGES, SUFFIX, script_response, script_text

PATIENCE_SECONDS = 3.0  # a page does not finish loading before its scripts, although it may be rendered

_TENTH = Decimal("0.1")
_BEFORE, _PLACE, _AFTER = script_text("badge.js").partition("BADGE")
assert _PLACE, "badge.js has no placeholder for a badge"  # noqa: S101 - a bug, found at start-up


@route(BADGES + "{name:str}", http_method=READ, include_in_schema=False)
async def badge_script(
    server: NamedDependency[ServerContext],
    client: NamedDependency[ClientAddress],
    request: AnyRequest,
    name: FromPath[str],
) -> ASGIResponse:
    """Return the script that draws the badge, or an empty script. HEAD and empty scripts do not count as views."""
    if not name.endswith(SUFFIX):
        raise NotFoundException
    site_id = name.removesuffix(SUFFIX)
    shown = server.app.badges.show(site_id, header(request, "referer"), count_mode(request), client)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer = await shown
    except TimeoutError:
        raise StorageUnavailable("no answer in time") from None
    cache_control = _cache_control(answer.max_age)
    if not isinstance(answer, BadgeShown):
        return script_response(request, b"", cache_control)
    log_view(site_id, answer)
    return script_response(request, badge_source(answer.badge, About.of(server.app)), cache_control)


def _cache_control(max_age: timedelta) -> str:
    """Return Cache-Control for the requesting browser only, because each browser's request counts as a view."""
    return f"private, max-age={max_age // timedelta(seconds=1)}" if max_age else NO_STORE


@lru_cache(maxsize=1024)
def badge_source(badge: Badge, about: About) -> bytes:
    """Return the script that draws this badge."""
    return (_BEFORE + javascript_literal(_configuration(badge, about)) + _AFTER).encode()


def _configuration(badge: Badge, about: About) -> dict[str, object]:
    """Return the values that `badge.js` draws; its `hosts` also cover `www.` before each host."""
    return {
        "siteId": badge.site_id,
        "name": badge.name,
        "hosts": badge.hosts,
        "status": badge.status,
        "count": badge.score.count,
        "mean": badge.score.mean,
        "theme": badge.theme,
        "size": badge.size,
        "language": badge.language,
        "words": badge_words(badge, about.name),
        "link": f"{about.home_url}shops/{badge.site_id}",
    }


def badge_words(badge: Badge, issuer: str) -> dict[str, str]:
    """Return a badge's texts, and an accessible name (`label`) of what it shows; no `mean` if there are no reviews.

    `issuer` is the operator's name, or the service's host.
    """
    texts = texts_in(badge.language)
    mean, count = badge.score.mean, badge.score.count
    seen = {"mark": texts.gettext("Trust mark")}
    said = [seen["mark"]] if badge.status == "trusted" else []
    if mean is None:
        seen["count"] = texts.gettext("No reviews yet")
    else:
        seen["mean"] = texts.decimal(str(Decimal(mean).quantize(_TENTH, ROUND_HALF_UP)))
        said.append(texts.gettext("%(mean)s out of 5 stars", mean=seen["mean"]))
        seen["count"] = texts.ngettext("%(shown)s review", "%(shown)s reviews", count, shown=texts.number(count))
    issuer = f"\u2068{issuer}\u2069"
    seen["issuer"] = texts.gettext("via %(issuer)s", issuer=issuer)
    seen["title"] = texts.gettext("Badge issued by %(issuer)s", issuer=issuer)
    facts = ", ".join([*said, seen["count"], seen["issuer"]])
    name = f"\u2068{badge.name}\u2069"  # isolated, because its writing direction may differ from the sentence's
    return {**seen, "label": texts.gettext("%(shop)s: %(facts)s (opens in a new tab)", shop=name, facts=facts)}
