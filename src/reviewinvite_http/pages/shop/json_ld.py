"""A shop page's data for search engines: schema.org as JSON-LD, which browsers do not execute. Spec: §4 (Pages)."""

from __future__ import annotations

import json
from datetime import datetime

from markupsafe import Markup

from reviewinvite_core import Language
from reviewinvite_core.domain.scores import HIGHEST_RATING, LOWEST_RATING
from reviewinvite_core.texts import texts_in
from reviewinvite_core.values import Review, ShopReviews

_RANGE = {"bestRating": HIGHEST_RATING, "worstRating": LOWEST_RATING}
# These characters could end the surrounding script element; non-ASCII characters are already escaped.
_HARMLESS = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


def json_ld(shown: ShopReviews, language: Language, address: str) -> Markup | None:
    """Return the shop at this address, its all-time score and these reviews; None for a shop without reviews."""
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
