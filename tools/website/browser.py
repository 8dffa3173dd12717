"""What needs a browser: pictures of pages and e-mails, and the proof that the site asks nobody else for anything."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, FloatRect, Route, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
WIDTH, MOST_HEIGHT = 480, 1_600


@contextmanager
def chromium() -> Iterator[Browser]:
    """Open a browser that has no window."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise SystemExit("there is no Chromium: `apt-get install chromium`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()


def take_pictures(browser: Browser, pages: Mapping[str, str], folder: Path) -> None:
    """Take a picture of each page, given as HTML, into the file of its name."""
    folder.mkdir(parents=True, exist_ok=True)
    tab = browser.new_page(viewport={"width": WIDTH, "height": 100}, java_script_enabled=False)
    tab.route("**/*", lambda route: route.abort())  # pictures of pages need nothing but the pages
    for name, html in pages.items():
        tab.set_content(html, wait_until="commit")
        height = tab.evaluate("Math.ceil(document.documentElement.getBoundingClientRect().height)")
        clip: FloatRect = {"x": 0, "y": 0, "width": WIDTH, "height": min(max(height, 40), MOST_HEIGHT)}
        tab.screenshot(path=folder / name, full_page=True, clip=clip, animations="disabled")
    tab.close()


def requests_to_others(browser: Browser, site: Path, pages: Sequence[str]) -> list[str]:
    """Open pages of a site that is served here; return each address elsewhere that a page asks for."""
    others: list[str] = []
    with _served(site) as address:
        context = browser.new_context()

        def judge(route: Route) -> None:
            if urlsplit(route.request.url).netloc == urlsplit(address).netloc:
                route.continue_()
                return
            others.append(route.request.url)
            route.abort()

        context.route("**/*", judge)
        tab = context.new_page()
        for page in pages:
            tab.goto(f"{address}/{page}", wait_until="networkidle")
        context.close()
    return others


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Log nothing."""
