"""`GET /w/<site_id>.js`: the badge. Spec: §4.3, ADR-25."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import lru_cache, partial

from litestar import HttpMethod
from litestar.exceptions import NotFoundException
from litestar.types import ASGIApp, HTTPScope, Receive

from reviewinvite_core import Badge, BadgeShown, StorageUnavailable
from reviewinvite_core.domain.embedding import javascript_literal
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.endpoints import Endpoint, last_part
from reviewinvite_http.kept import NEVER
from reviewinvite_http.looking import looking, note_crossings
from reviewinvite_http.requests import header
from reviewinvite_http.scripts import BADGES, SUFFIX, ScriptAnswer, script_text
from reviewinvite_http.widget.words import badge_words

PATIENCE_SECONDS = 3.0  # a page that loads is not done before its scripts are, though it may be drawn

_PLACE = "BADGE"


def widget_endpoint(edge: ServerContext) -> Endpoint:
    """The badge. What fails here is answered by `EMPTY_SCRIPT`: a shop's page never sees an error."""
    before, place, after = script_text("badge.js").partition(_PLACE)
    assert place, "badge.js has no place for a badge"  # noqa: S101 - a fault of ours, told at the start
    drawing = lru_cache(maxsize=1024)(partial(_script, before, after, edge.app.base_url))

    async def widget(scope: HTTPScope, receive: Receive) -> ASGIApp:  # noqa: ARG001 - as endpoints are called
        """The script that draws the badge, or an empty one; counted, unless nothing is drawn or it is a HEAD."""
        name = last_part(scope)
        if not name.endswith(SUFFIX):
            raise NotFoundException
        site_id = name.removesuffix(SUFFIX)
        asked = edge.commit(edge.app.show_badge, site_id, header(scope, b"referer"), looking(scope))
        try:
            answer = await asyncio.wait_for(asked, PATIENCE_SECONDS)
        except TimeoutError:
            raise StorageUnavailable("no answer in time") from None
        if not isinstance(answer, BadgeShown):
            return ScriptAnswer(b"", _cache_control(answer.max_age))
        note_crossings(site_id, answer.crossed)
        return ScriptAnswer(drawing(answer.badge), _cache_control(answer.max_age))

    return Endpoint(BADGES, [HttpMethod.GET, HttpMethod.HEAD], widget)


def _cache_control(max_age: timedelta) -> str:
    """For the browser that asked, and no one else: each of them is a view."""
    return f"private, max-age={max_age // timedelta(seconds=1)}" if max_age else NEVER


def _script(before: str, after: str, base_url: str, badge: Badge) -> bytes:
    return (before + javascript_literal(_configuration(badge, base_url)) + after).encode()


def _configuration(badge: Badge, base_url: str) -> dict[str, object]:
    """What `badge.js` is told; its `hosts` also cover `www.` before each of them."""
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
        "words": badge_words(badge),
        "link": f"{base_url}/shops/{badge.site_id}",
    }
