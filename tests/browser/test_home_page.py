"""The home page and the footer of other pages in a real browser: narrow and wide, light and dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.browser.accessibility import small_targets, violations
from tests.browser.fake_web import BASE_URL, SITE
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture

from reviewinvite_core import Application, Settings, build
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.testing.builders import a_shop

OVERFLOW = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def app(storage: MemoryStorage) -> Iterator[Application]:
    """A service that says who runs it."""
    settings = Settings(
        database_url="memory:",
        mail_url="recording:",
        base_url=BASE_URL,
        operator_name="Coöperatieve Beoordelingsdienst Molen & Zonen B.V.",
        operator_contact="vragen-over-beoordelingen@beoordelingsdienst.example.nl",
        privacy_url="https://example.nl/privacy",
    )
    application = build(settings, storage=storage)
    application.shops.add(a_shop(SITE))
    yield application
    application.close()


@pytest.mark.parametrize("path", ["/", f"/shops/{SITE}"])
def test_it_fits_any_window_and_hinders_nobody(
    visit: PageVisit, console_log: ConsoleLog, take_picture: TakePicture, path: str
) -> None:
    for width, scheme, language in (
        (320, "light", "nl"),
        (360, "light", "nl"),
        (360, "dark", "en"),
        (1280, "light", "en"),
        (1280, "dark", "nl"),
    ):
        visit.tab.set_viewport_size({"width": width, "height": 800})
        visit.tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        visit.open(f"{BASE_URL}{path}?language={language}")
        take_picture(f"home-{len(path) > 1}-{width}-{scheme}", full_page=True)
        assert visit.tab.evaluate(OVERFLOW) <= 0
        assert violations(visit.tab) == []
        assert small_targets(visit.tab) == []
    assert console_log.lines == []


def test_the_footer_leads_to_the_home_page_and_that_to_the_other_language(visit: PageVisit) -> None:
    visit.open(f"{BASE_URL}/shops/{SITE}?language=en")
    visit.tab.locator("footer a").first.click()
    visit.tab.get_by_role("heading", name="Who runs this service?").wait_for()  # the browser prefers English
    visit.tab.get_by_role("link", name="Nederlands").click()
    visit.tab.get_by_role("heading", name="Van wie is deze dienst?").wait_for()


def test_the_icon_is_drawn(visit: PageVisit, take_picture: TakePicture) -> None:
    visit.open(f"{BASE_URL}/favicon.ico")
    take_picture("icon")
    width = "document.querySelector('rect').getBoundingClientRect().width"
    assert visit.tab.evaluate(width) > 0
