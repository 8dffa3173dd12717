"""A real Chromium, a shop's pages and the service, each at its own https address.

The browser is Debian's (`apt-get install chromium`): without one these tests are skipped, or fail where
`BROWSER_TESTS=required` says that there has to be one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright
from tests.browser.drawn import Heard
from tests.browser.visit import SECONDS, Visit, a_context
from tests.browser.web import BASE_URL, Certificate, Web, a_certificate, a_web

from reviewinvite_core import Application, Settings, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http import server

SITE = "bakkerij-1"
HOST = "shop.example.nl"

expect.set_options(timeout=SECONDS * 1000)

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
    """Where the browser is."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found:
        return found
    missing = "there is no Chromium: `apt-get install chromium`, or have one in PATH"
    if os.environ.get("BROWSER_TESTS") == "required":
        pytest.fail(missing)
    pytest.skip(missing)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return a_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def app() -> Iterator[Application]:
    """A service with a shop whose host is verified, and no limit but that of one customer's invitations."""
    settings = Settings(database_url="memory:", mail_url="recording:", base_url=BASE_URL, snippets_per_minute=0)
    application = build(settings)
    application.add_shop(a_shop(SITE))
    application.add_domain(SITE, HOST, assume_verified=True)
    yield application
    application.close()


@pytest.fixture(scope="module")
def whole_web(app: Application, certificate: Certificate) -> Iterator[Web]:
    with server.running(app, worker=False) as address, a_web(address, certificate.pem) as web:
        yield web


@pytest.fixture
def web(whole_web: Web) -> Iterator[Web]:
    """The web, as it is in the beginning."""
    yield whole_web
    whole_web.forget()


@pytest.fixture(scope="module")
def browser(
    chromium: str, whole_web: Web, certificate: Certificate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser for which every host is in the small web, but one that is down.

    It is closed with the file's tests: while it is open, its driver's event loop runs in this thread.
    """
    rules = f"MAP down.example.nl 127.0.0.1:1, MAP * 127.0.0.1:{whole_web.port}"
    arguments = [
        *_FLAGS,
        f"--host-resolver-rules={rules}",
        f"--ignore-certificate-errors-spki-list={certificate.pin}",
    ]
    environment = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=arguments, env=environment)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """The open browser that tabs share (`visit.a_tab`)."""
    with a_context(browser) as opened:
        yield opened


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures are kept for people to look at: in the folder that BROWSER_PICTURES names."""
    folder = Path(os.environ.get("BROWSER_PICTURES", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def heard(visit: Visit) -> Heard:
    """What the visitor's tab says of errors."""
    return Heard(visit.tab)
