"""Render shops' public pages: cacheable for 5 minutes, and rerendered only when their content changes. ADR-29."""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict

import attrs

from reviewinvite_core import Language
from reviewinvite_core.values import Bookmark, ShopReviews
from reviewinvite_http.pages.page import ALWAYS, HTML, About, assets_for, rendered
from reviewinvite_http.pages.shop.json_ld import json_ld
from reviewinvite_http.responses import Variant

MAX_AGE = "public, max-age=300"
MOST_BYTES = 16 * 1024 * 1024  # of rendered pages in the cache

_ASSETS = assets_for("shop")
_HEADERS = {**ALWAYS, "Content-Security-Policy": _ASSETS.policy, "Vary": "Accept-Encoding"}


@attrs.frozen(kw_only=True)
class PageRequest:
    """A requested page, and the requested form of it."""

    language: Language
    after: Bookmark | None
    compressed: bool


@attrs.frozen
class _Drawn:
    shown: ShopReviews
    page: Variant
    size: int


class ShopPages:
    """Renders pages, and caches the first page of recently requested shops, which is the only one most visitors see."""

    def __init__(
        self, base_url: str, widget_url: str, about: About | None = None, *, most_bytes: int = MOST_BYTES
    ) -> None:
        """Render with these URLs and footer, and cache at most `most_bytes` of pages."""
        self._base_url = base_url
        self._widget_url = widget_url
        self._about = about
        self._most_bytes = most_bytes
        self._drawn: OrderedDict[tuple[str, Language, bool], _Drawn] = OrderedDict()
        self._bytes = 0
        self._one_at_a_time = threading.Lock()

    def page(self, shown: ShopReviews, asked: PageRequest) -> Variant:
        """Return the page of a shop; reuse the cached page if its content is the same. Safe from any thread."""
        if asked.after:
            return _in_form(self._draw(shown, asked), asked)[0]
        key = (shown.shop.site_id.text, asked.language, asked.compressed)
        with self._one_at_a_time:
            before = self._drawn.get(key)
            if before:
                self._drawn.move_to_end(key)
        if before and before.shown == shown:
            return before.page
        page, size = _in_form(self._draw(shown, asked), asked)
        self._keep(key, _Drawn(shown, page, size))
        return page

    def _keep(self, key: tuple[str, Language, bool], drawn: _Drawn) -> None:
        with self._one_at_a_time:
            before = self._drawn.pop(key, None)
            self._drawn[key] = drawn
            self._bytes += drawn.size - (before.size if before else 0)
            while self._bytes > self._most_bytes:
                self._bytes -= self._drawn.popitem(last=False)[1].size

    def _draw(self, shown: ShopReviews, asked: PageRequest) -> bytes:
        own = shown.shop.language
        site_id = shown.shop.site_id.text
        address = f"{self._base_url}/shops/{site_id}"

        def query(language: Language, after: Bookmark | None) -> str:
            parts = [f"language={language}"] if language is not own else []
            return "?" + "&".join([*parts, f"after={after.text}"] if after else parts)

        def canonical(language: Language) -> str:
            return (address + query(language, asked.after)).rstrip("?")

        return rendered(
            "shop/page.html",
            _ASSETS,
            asked.language,
            self._about,
            is_public=True,
            shown=shown,
            is_newest=asked.after is None,
            canonical=canonical(asked.language),
            addresses=[(each, canonical(each)) for each in Language],
            here=f"?after={asked.after.text}&" if asked.after else "?",
            older=query(asked.language, shown.next) if shown.next else None,
            newest=f"{site_id}{query(asked.language, None)}".rstrip("?"),
            data=json_ld(shown, asked.language, address),
            verify_url=f"{self._widget_url}/v1/verify/{site_id}",
            keys_url=f"{self._base_url}/v1/badge/public-keys",
        )


def _in_form(body: bytes, asked: PageRequest) -> tuple[Variant, int]:
    """Return the page as it is sent, and its bytes in the cache: twice its size, because its content is kept, too."""
    headers = {**_HEADERS, "Content-Language": asked.language}
    if not asked.compressed:
        return Variant(body, HTML, headers), 2 * len(body)
    return Variant(gzip.compress(body, 5, mtime=0), HTML, {**headers, "Content-Encoding": "gzip"}), 2 * len(body)
