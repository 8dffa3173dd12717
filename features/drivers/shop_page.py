"""A shop's public page, read as a visitor reads it: in English, by the words that stand there."""

from __future__ import annotations

import html
import re

from features.drivers.values import DisplayedReview, DisplayedScore, ShopPage

_MARKS = {
    "Trust mark": "trusted",
    "Trust mark revoked": "revoked",
    "No trust mark": "unverified",
    "Not active": "inactive",
}
_RECENT = re.compile(r"([0-9.]+) out of 5 Based on (one|[0-9,]+) reviews? in the last 12 months\.")
_VERIFIED = re.compile(r"in the last 12 months\. Reviews of verified orders: ([0-9,]+) of [0-9,]+\.")
_ALL_TIME = re.compile(r"All time: ([0-9.]+) out of 5, based on (one|[0-9,]+) reviews?\.")
_CONFIRMED = re.compile(r"for confirmed orders in the last 12 months: (\d+) cancelled, (\d+) not sent")
_WEBSITE = re.compile(
    r"(?<!\S)Per 100 invitations in the last 12 months that only the shop’s website asked for: (\d+) cancelled"
)
_OLDER = re.compile(r'<a rel="next" href="[^"]*after=([0-9a-f-]+)')


def parse_shop_page(page: str) -> ShopPage:
    """Read the page."""
    _, _, main = page.partition("<main>")
    words = _words(main)
    counts = re.findall(r'<th scope="row">.*?</th>.*?<td>([0-9,]+)</td>', main, re.DOTALL)
    older = _OLDER.search(main)
    recent = _score(_RECENT, words)
    verified = _VERIFIED.search(words)
    return ShopPage(
        name=_words(_one(r"<h1>(.*?)</h1>", main)),
        mark=_MARKS[_words(_one(r"<h2>(.*?)</h2>", main))],
        recent=recent,
        verified=_number(verified[1]) if verified else None,
        all_time=_score(_ALL_TIME, words) or recent,  # said once if both are the same
        by_rating=tuple(_number(each) for each in reversed(counts)) or (0,) * 5,
        reviews=tuple(_review(each) for each in re.findall(r"<article.*?</article>", main, re.DOTALL)),
        shares=_shares(words),
        older=older[1] if older else None,
    )


def _shares(words: str) -> tuple[int | None, int | None, int | None]:
    """Return what the page says per 100 invitations: cancelled, kept back, and cancelled of those by the website."""
    confirmed, website = _CONFIRMED.search(words), _WEBSITE.search(words)
    cancelled, members = (int(confirmed[1]), int(confirmed[2])) if confirmed else (None, None)
    return cancelled, members, int(website[1]) if website else None


def _review(article: str) -> DisplayedReview:
    own, _, reply = article.partition('<div class="reply">')
    author = _words(_one(r"<strong>(.*?)</strong>", own))
    [note] = re.findall("Verified order|Invited via the shop’s website", _words(own))
    return DisplayedReview(
        rating=int(_words(_one(r"<span>(.*?) out of 5</span>", own))),
        text=_said(own),
        author=None if author.startswith("A customer of ") else author,
        day=_one(r'<time datetime="(.*?)">', own),
        is_verified=note == "Verified order",
        reply=_said(reply),
    )


def _said(part: str) -> str | None:
    found = re.search(r'<p class="said"[^>]*>(.*?)</p>', part, re.DOTALL)
    return html.unescape(found[1]) if found else None


def _score(pattern: re.Pattern[str], words: str) -> DisplayedScore | None:
    found = pattern.search(words)
    return DisplayedScore(mean=found[1], count=_number(found[2])) if found else None


def _number(words: str) -> int:
    return 1 if words == "one" else int(words.replace(",", ""))


def _one(pattern: str, page: str) -> str:
    found = re.search(pattern, page, re.DOTALL)
    assert found, pattern
    return found[1]


def _words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
