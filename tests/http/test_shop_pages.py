"""Which of the shops' pages stay drawn, and for how long. ADR-29."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest

from reviewinvite_core import Application, Language, Settings, build
from reviewinvite_core.testing.builders import NOON, ManualClock, a_shop
from reviewinvite_core.values import Bookmark, ShopReviews
from reviewinvite_http.pages.page import About
from reviewinvite_http.pages.shop.rendered import PageRequest, ShopPages

NEWEST = PageRequest(language=Language.NL, after=None, compressed=False)
OLDER = PageRequest(language=Language.NL, after=Bookmark.since(NOON), compressed=False)


@pytest.fixture
def app() -> Iterator[Application]:
    application = build(Settings(database_url="memory:", mail_url="recording:"), clock=ManualClock())
    for site in ("one", "two", "three"):
        application.shops.add(a_shop(site))
    yield application
    application.close()


def read(app: Application, site: str) -> ShopReviews:
    shown = app.reviews.show_public(site, None)
    assert isinstance(shown, ShopReviews)
    return shown


def pages(app: Application, **limits: int) -> ShopPages:
    return ShopPages(app.base_url, app.widget_url, About.of(app), **limits)


def test_a_page_that_says_the_same_is_the_one_drawn_before(app: Application) -> None:
    kept = pages(app)
    drawn = kept.page(read(app, "one"), NEWEST)
    assert kept.page(read(app, "one"), NEWEST) is drawn
    renamed = attrs.evolve(read(app, "one"), shop=attrs.evolve(read(app, "one").shop, name="Another"))
    assert kept.page(renamed, NEWEST) is not drawn


def test_each_language_and_form_is_a_page_of_its_own(app: Application) -> None:
    kept, shown = pages(app), read(app, "one")
    forms = [
        attrs.evolve(NEWEST, language=language, compressed=compressed)
        for language in Language
        for compressed in (False, True)
    ]
    drawn = [kept.page(shown, form) for form in forms]
    assert len(set(map(id, drawn))) == 4
    assert [kept.page(shown, form) for form in forms] == drawn


def test_older_pages_are_not_kept(app: Application) -> None:
    kept = pages(app)
    assert kept.page(read(app, "one"), OLDER) is not kept.page(read(app, "one"), OLDER)


def test_only_so_much_is_kept_and_what_was_asked_for_lately_stays(app: Application) -> None:
    one, two, three = (read(app, site) for site in ("one", "two", "three"))
    size = 2 * len(pages(app).page(one, NEWEST).body)
    kept = pages(app, most_bytes=size * 5 // 2)
    first, second = kept.page(one, NEWEST), kept.page(two, NEWEST)
    assert kept.page(one, NEWEST) is first
    kept.page(three, NEWEST)
    assert kept.page(one, NEWEST) is first
    assert kept.page(two, NEWEST) is not second
    nothing = pages(app, most_bytes=0)
    assert nothing.page(one, NEWEST) is not nothing.page(one, NEWEST)
