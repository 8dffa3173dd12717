"""Render shops' public pages: cacheable for 5 minutes, and rerendered only when their content changes. ADR-29."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from datetime import datetime

import attrs
from markupsafe import Markup

from reviewinvite_core import Language
from reviewinvite_core.domain.scores import HIGHEST_RATING, LOWEST_RATING
from reviewinvite_core.texts.catalogue import texts_in
from reviewinvite_core.values import Bookmark, Review, ShopReviews
from reviewinvite_http.pages.page import ALWAYS, HTML, About, assets_for, rendered
from reviewinvite_http.responses import Variant, gzipped

MOST_BYTES = 16 * 1024 * 1024  # of rendered pages in the cache

_RANGE = {"bestRating": HIGHEST_RATING, "worstRating": LOWEST_RATING}
# These characters could end the surrounding script element; non-ASCII characters are already escaped.
_HARMLESS = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})
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
    plain = Variant(body, HTML, {**_HEADERS, "Content-Language": asked.language})
    return gzipped(plain, level=5) if asked.compressed else plain, 2 * len(body)


def json_ld(shown: ShopReviews, language: Language, address: str) -> Markup | None:
    """Return the shop at this address, its all-time score and these reviews; None for a shop without reviews.

    For search engines: schema.org as JSON-LD, which browsers do not execute. Spec: §4 (Pages).
    """
    score = shown.all_time.score
    if not score.count:
        return None
    told: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "Organization",
        "@id": address,
        "name": shown.shop.name,
        "aggregateRating": {
            "@type": "AggregateRating",
            "ratingValue": score.mean,
            "reviewCount": score.count,
            "ratingExplanation": texts_in(language).gettext(
                "Reviews of verified orders: %(confirmed)s of %(count)s.", confirmed=score.confirmed, count=score.count
            ),
            **_RANGE,
        },
    }
    if shown.hosts:
        told["url"] = f"https://{shown.hosts[0]}"
    if shown.reviews:
        told["review"] = [_review(each, shown.shop.name, language) for each in shown.reviews]
    text = json.dumps(told, separators=(",", ":")).translate(_HARMLESS)
    return Markup(text)  # noqa: S704 - characters that could end its element are escaped


def _review(review: Review, shop: str, language: Language) -> dict[str, object]:
    texts = texts_in(language)
    author = review.author or texts.gettext("A customer of %(shop)s", shop=shop)
    verified, invited = texts.gettext("Verified order"), texts.gettext("Invited via the shop’s website")
    told: dict[str, object] = {
        "@type": "Review",
        "author": {"@type": "Person", "name": author},
        "datePublished": _day(review.written_at),
        "inLanguage": review.language,
        "keywords": verified if review.confirmed else invited,
        "reviewRating": {"@type": "Rating", "ratingValue": str(review.rating), **_RANGE},
    }
    if review.edited_at:
        told["dateModified"] = _day(review.edited_at)
    if review.text:
        told["reviewBody"] = review.text
    return told


def _day(at: datetime) -> str:
    return at.date().isoformat()
