"""The review page as its visitor sees it, however it is reached."""

from __future__ import annotations

import html
import re

import attrs

from reviewinvite_core.values import LinkClosed, ReviewLink

_CARD = re.compile(r'<article class="card">(.*?)</article>', re.DOTALL)
_STARS = re.compile(r'<span class="quiet">(\d)')
_TEXT = re.compile(r'<p class="written said"[^>]*>(.*?)</p>', re.DOTALL)
_AUTHOR = re.compile(r"<strong><bdi>(.*?)</bdi>")


@attrs.frozen(kw_only=True)
class ReviewPage:
    """The review on the page and whether the form is there; `too_late` if what was sent was not saved."""

    language: str
    can_write: bool
    rating: int | None = None
    text: str | None = None
    author: str | None = None
    too_late: bool = False


def review_page_of(answer: ReviewLink | LinkClosed | None) -> ReviewPage | None:
    """Return the page for what the library answers."""
    if answer is None:
        return None
    link = answer.link if isinstance(answer, LinkClosed) else answer
    review = link.review
    return ReviewPage(
        language=link.language,
        can_write=link.state in ("open", "changeable"),
        rating=review.rating if review else None,
        text=review.text if review else None,
        author=(review.author or f"A customer of {link.shop.name}") if review and review.rating else None,
        too_late=isinstance(answer, LinkClosed),
    )


def parse_review_page(status: int, language: str, text: str) -> ReviewPage | None:
    """Read the page as a browser displays it; None if there is no such page."""
    if status == 404:
        return None
    assert status in {200, 409, 410}, status
    found = _CARD.search(text)
    card = found[1] if found else ""
    rating, written, author = (pattern.search(card) for pattern in (_STARS, _TEXT, _AUTHOR))
    return ReviewPage(
        language=language,
        can_write='name="rating"' in text,
        rating=int(rating[1]) if rating else None,
        text=html.unescape(written[1]) if written else None,
        author=html.unescape(author[1]).replace("Een klant van", "A customer of") if author else None,
        too_late='role="alert"' in text,
    )
