"""Everything that customers read, in one language: `python -m tests.texts.every_text LANGUAGE` prints it as JSON.

What people write themselves is distinguished from our own words by its capitals: "NAME OF THE SHOP".
"""

from __future__ import annotations

import email
import email.policy
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import attrs
from litestar.response import Template
from tests.texts.dashboard import dashboard_texts
from tests.texts.demo import demo_texts
from tests.texts.messages import message_texts

from reviewinvite_core import Language, ReviewState, SiteId, StorageUnavailable
from reviewinvite_core.adapters.mail.render import TemplateRenderer
from reviewinvite_core.domain import refusals
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.imprint import Imprint
from reviewinvite_core.domain.invitation_figures import Shares
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.scores import NO_REVIEWS, Distribution
from reviewinvite_core.domain.timing import Delay
from reviewinvite_core.ports import Letter
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.values import (
    Badge,
    HideReason,
    LinkState,
    Problem,
    Reply,
    Review,
    ReviewLink,
    Score,
    Shop,
    ShopReviews,
    Size,
    Status,
    Subscription,
    Theme,
    TrustMark,
)
from reviewinvite_http.errors import BY_STATUS, KEY_MISSING, row_of, sentence_in
from reviewinvite_http.pages.page import About, LanguageTemplates, assets_for, page, rendered
from reviewinvite_http.pages.review.form import ReviewForm
from reviewinvite_http.pages.shop.rendered import PageRequest, ShopPages
from reviewinvite_http.widget.badge import badge_words

BASE_URL = "https://REVIEWS.EXAMPLE"
IMPRINT = Imprint(name="OPERATOR", contact="CONTACT@OPERATOR.EXAMPLE", privacy_url="https://OPERATOR.EXAMPLE/PRIVACY")
SIGN_IN_URL = f"{BASE_URL}/DASHBOARD/SIGN-IN"
ABOUT = About(home_url=f"{BASE_URL}/", imprint=IMPRINT)
SHOP = Shop(
    number=1, site_id=SiteId("SITE"), name="NAME OF THE SHOP", language=Language.NL, delay_days=Delay(0), active=True
)
LETTER = Letter(
    invite_id="019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
    recipient="customer@example.com",
    reply_to="shop@example.com",
    shop_name=SHOP.name,
    order_number="ORDER-1",
    language="nl",
    review_url=f"{BASE_URL}/R/TOKEN",
    unsubscribe_url=f"{BASE_URL}/U/TOKEN",
    written_at=NOON,
)
ASKED = Subscription(shop_name=SHOP.name, language=Language.NL, stopped=False, stopped_everywhere=False)
WRITTEN = Review(
    review_id="1",
    shop_number=1,
    invite_id="1",
    rating=4,
    text="TEXT OF THE CUSTOMER",
    author="NAME OF THE CUSTOMER",
    language=Language.NL,
    written_at=NOON,
    changed_at=NOON,
    source=Source.API,
    confirmed=True,
)
NAMELESS = attrs.evolve(WRITTEN, text=None, author=None, confirmed=False)
ANSWERED = attrs.evolve(WRITTEN, edited_at=NOON, reply=Reply(text="REPLY OF THE SHOP", replied_at=NOON))
GONE = attrs.evolve(WRITTEN, rating=None, text=None, author=None, state=ReviewState.WITHDRAWN)
LINK = ReviewLink(
    shop=SHOP,
    order_number="ORDER-1",
    language=Language.NL,
    state=LinkState.OPEN,
    review=None,
    ends_at=NOON,
    in_doubt=False,
)
REVIEWS = Distribution((100, 0, 0, 200, 935))


def every_text(language: Language) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each e-mail, page and badge, and each sentence of the API."""
    yield from _e_mails(language)
    yield from message_texts(language)
    yield from _unsubscribe_pages(language)
    yield from _review_pages(language)
    yield from _shop_pages(language)
    yield from _home_pages(language)
    yield _errors_page(language)
    yield from dashboard_texts(language)
    yield from demo_texts(language)
    yield from _badges(language)
    yield from _sentences(language)


def _e_mails(language: Language) -> Iterator[tuple[str, str]]:
    renderer = TemplateRenderer("invitations@reviews.example")
    letters = {"e-mail": LETTER, "e-mail without a number": attrs.evolve(LETTER, order_number=None, reply_to=None)}
    for name, letter in letters.items():
        content = renderer.render(attrs.evolve(letter, language=language)).content
        message = email.message_from_bytes(content, policy=email.policy.default)
        yield f"{name}, subject", message["Subject"]
        for part in message.iter_parts():
            yield f"{name}, {part.get_content_type()}", part.get_content()


def _unsubscribe_pages(language: Language) -> Iterator[tuple[str, str]]:
    stopped = attrs.evolve(ASKED, stopped=True, can_resubscribe=True)
    asked = {"asked": ASKED, "stopped": stopped, "everywhere": attrs.evolve(stopped, stopped_everywhere=True)}
    for name, subscription in asked.items():
        shown = page("unsubscribe", language, subscription=subscription, resubscribed=False)
        yield f"unsubscribe page, {name}", body_of(shown)
    undone = page("unsubscribe", language, subscription=ASKED, resubscribed=True)
    yield "unsubscribe page, resubscribed", body_of(undone)


def _review_pages(language: Language) -> Iterator[tuple[str, str]]:
    changeable = attrs.evolve(LINK, state=LinkState.CHANGEABLE, review=WRITTEN)
    hidden = attrs.evolve(WRITTEN, state=ReviewState.HIDDEN)
    form = ReviewForm(rating="4", text="UNSAVED TEXT", author="NAME OF THE CUSTOMER")
    pages: dict[str, tuple[ReviewLink, ReviewForm, Mapping[str, object]]] = {
        "open": (LINK, ReviewForm(), {}),
        "open, without a number": (attrs.evolve(LINK, order_number=None), ReviewForm(), {}),
        "written": (changeable, form, {}),
        "nameless": (attrs.evolve(changeable, review=NAMELESS), form, {}),
        "done": (changeable, form, {"done": True}),
        "done, hidden": (attrs.evolve(changeable, review=hidden), form, {"done": True}),
        "answered": (attrs.evolve(changeable, review=ANSWERED), form, {}),
        "withdrawn": (attrs.evolve(changeable, review=GONE), ReviewForm(), {}),
        "spent": (attrs.evolve(changeable, state=LinkState.EDIT_LIMIT_REACHED), form, {"too_late": True}),
        "locked": (attrs.evolve(changeable, state=LinkState.LOCKED), form, {"too_late": True}),
        "ended": (attrs.evolve(LINK, state=LinkState.EXPIRED), form, {"too_late": True}),
        "ended, without a number": (attrs.evolve(LINK, state=LinkState.EXPIRED, order_number=None), ReviewForm(), {}),
    }
    for reason in HideReason:
        review = attrs.evolve(hidden, hidden_for=reason)
        pages[f"hidden, {reason}"] = (attrs.evolve(changeable, review=review), form, {})
    for problem in (Problem.TOO_LONG, Problem.FORBIDDEN_CHARACTERS):
        problems = dict.fromkeys(("form", "rating", "text", "author"), problem)
        pages[f"refused, {problem}"] = (LINK, attrs.evolve(form, problems=problems), {})
    for name, (link, filled_in, more) in pages.items():
        values: dict[str, Any] = {"done": False, "too_late": False, **more}
        shown = page(
            "review",
            language,
            link=link,
            form=filled_in,
            service="REVIEWS.EXAMPLE",
            shop_url=f"{BASE_URL}/SHOPS/SITE",
            **values,
        )
        yield f"review page, {name}", body_of(shown)


def _shop_pages(language: Language) -> Iterator[tuple[str, str]]:
    shown = ShopReviews(
        shop=SHOP,
        hosts=("SHOP.EXAMPLE",),
        all_time=REVIEWS,
        last_12_months=REVIEWS.score,
        shares=Shares(cancelled=2, members=1, website_cancelled=3),
        reviews=[ANSWERED, NAMELESS],
        next=Bookmark.since(NOON),
    )
    newest = PageRequest(language=language, after=None, compressed=False)
    older = attrs.evolve(newest, after=Bookmark.since(NOON))
    pages = {
        "many reviews": (shown, newest),
        "one review": (
            attrs.evolve(shown, all_time=Distribution.of(5), last_12_months=Score(count=1, total=5)),
            newest,
        ),
        "old reviews": (attrs.evolve(shown, last_12_months=NO_REVIEWS), newest),
        "one old review": (attrs.evolve(shown, all_time=Distribution.of(5), last_12_months=NO_REVIEWS), newest),
        "no reviews": (attrs.evolve(shown, all_time=Distribution(), last_12_months=NO_REVIEWS, reviews=[]), newest),
        "past the last review": (attrs.evolve(shown, reviews=[], next=None), older),
        "trusted": (attrs.evolve(shown, shop=attrs.evolve(SHOP, trust_mark=TrustMark.GRANTED)), newest),
        "revoked": (attrs.evolve(shown, shop=attrs.evolve(SHOP, trust_mark=TrustMark.REVOKED)), newest),
        "inactive": (attrs.evolve(shown, shop=attrs.evolve(SHOP, active=False)), newest),
    }
    for name, (reviews, asked) in pages.items():
        yield f"public page, {name}", ShopPages(BASE_URL, BASE_URL, ABOUT).page(reviews, asked).body.decode()


def _home_pages(language: Language) -> Iterator[tuple[str, str]]:
    for name, imprint in {"with an imprint": IMPRINT, "without one": Imprint()}.items():
        about = About(home_url=f"{BASE_URL}/", imprint=imprint, sign_in_url=SIGN_IN_URL)
        body = rendered("home/page.html", assets_for("home"), language, about, is_public=True, here="?")
        yield f"home page, {name}", body.decode()


def _errors_page(language: Language) -> tuple[str, str]:
    errors = [SimpleNamespace(code="CODE", status=422, sentence="SENTENCE")]
    body = rendered("errors/page.html", assets_for("errors"), language, ABOUT, is_public=False, here="?", errors=errors)
    return "page of errors", body.decode()


def _badges(language: Language) -> Iterator[tuple[str, str]]:
    for count in (0, 1, 3, 1235):
        for status in (Status.TRUSTED, Status.UNVERIFIED):
            badge = Badge(
                site_id="SITE",
                name=SHOP.name,
                hosts=(),
                status=status,
                score=Score(count=count, total=4 * count),
                theme=Theme.AUTO,
                size=Size.MEDIUM,
                language=language,
            )
            for what, text in badge_words(badge, "OPERATOR").items():
                yield f"badge, {status}, {count} reviews, {what}", text


def _sentences(language: Language) -> Iterator[tuple[str, str]]:
    rows = [*map(row_of, (*refusals.EVERY, StorageUnavailable)), KEY_MISSING, *BY_STATUS.values()]
    yield from ((f"API, {row.code}", sentence_in(language, row)) for row in rows)
    yield from ((f"API, {problem}", sentence_in(language, problem, "FIELD")) for problem in Problem)


def body_of(page: Template) -> str:
    """Return what is sent as a page."""
    assert page.template_name
    return LanguageTemplates().get_template(page.template_name).render(page.context)


def main(languages: Iterable[str]) -> None:
    """Print everything in each of the languages."""
    json.dump({language: dict(every_text(Language(language))) for language in languages}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
