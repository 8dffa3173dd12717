"""A real Chromium, a shop's pages and the service, each at its own https address.

The browser is Debian's (`apt-get install chromium`): without one these tests are skipped, or fail where
`BROWSER_TESTS=required` says that there has to be one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright
from tests.browser.fake_web import BASE_URL, HOST, SITE, Certificate, FakeWeb, create_certificate, running_web
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture, browser_context, visit_in_new_tab
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import Application, Settings, build
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http import server

expect.set_options(timeout=TIMEOUT_SECONDS * 1000)

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found:
        return found
    missing = "there is no Chromium: `apt-get install chromium`, or have one in PATH"
    if os.environ.get("BROWSER_TESTS") == "required":
        pytest.fail(missing)
    pytest.skip(missing)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return create_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def storage() -> MemoryStorage:
    """The storage of `app`."""
    return MemoryStorage()


@pytest.fixture(scope="module")
def app(storage: MemoryStorage) -> Iterator[Application]:
    """A service with a shop whose host is verified, and no limit but that of one customer's invitations."""
    settings = Settings(
        database_url="memory:",
        mail_url="recording:",
        base_url=BASE_URL,
        snippets_per_minute=0,
        snippets_per_client_day=0,
    )
    application = build(settings, storage=storage)
    application.shops.add(a_shop(SITE))
    application.domains.add(SITE, HOST, assume_verified=True)
    yield application
    application.close()


@pytest.fixture(scope="module")
def module_web(app: Application, certificate: Certificate) -> Iterator[FakeWeb]:
    with server.running(app, worker=False) as address, running_web(address, certificate.pem) as web:
        yield web


@pytest.fixture
def web(module_web: FakeWeb) -> Iterator[FakeWeb]:
    """The web, reset after each test."""
    yield module_web
    module_web.reset()


@pytest.fixture(scope="module")
def browser(
    chromium: str, module_web: FakeWeb, certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser for which every host is in the fake web, but for one that is down.

    It is closed after the file's tests: while it is open, Playwright's event loop is running in this thread.
    """
    rules = f"MAP down.example.nl 127.0.0.1:1, MAP * 127.0.0.1:{module_web.port}"
    arguments = [*_FLAGS, f"--host-resolver-rules={rules}", f"--ignore-certificate-errors-spki-list={certificate.pin}"]
    environment: dict[str, str | float | bool] = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=arguments, env=environment)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """The browser context that tabs share."""
    with browser_context(browser) as opened:
        yield opened


@pytest.fixture
def visit(context: BrowserContext, web: FakeWeb) -> Iterator[PageVisit]:
    """A visit in a tab of its own."""
    with visit_in_new_tab(context, web) as opened:
        yield opened


@pytest.fixture
def console_log(visit: PageVisit) -> ConsoleLog:
    """The console of the visit's tab."""
    return ConsoleLog(visit.tab)


@pytest.fixture
def take_picture(visit: PageVisit) -> TakePicture:
    """Take a picture of the visit's tab for people to look at, in the folder that `BROWSER_PICTURES` names, if any."""
    folder = os.environ.get("BROWSER_PICTURES")

    def take(name: str, **options: Any) -> None:
        if folder:
            visit.tab.screenshot(path=Path(folder) / f"{name}.png", **options)

    return take
