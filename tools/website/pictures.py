"""Take the pictures of a service that runs: the e-mail, the review page, the public page and the badge."""

from __future__ import annotations

import email
import re
import tempfile
from email import policy
from pathlib import Path

from features.drivers.base import Driver
from features.drivers.http import HttpDriver
from features.drivers.values import Order, Scheduled
from features.steps import shop as shops, view
from features.steps.context import ScenarioContext
from playwright.sync_api import Browser, Route

SHOP, HOST = "bakkerij", "shop.example.com"
WRITTEN = (
    (5, "Anna", "Great bread, and it was still warm when it came."),
    (4, "", "Good, but one roll was missing. They sent it the next day."),
    (5, "Jan", ""),
    (2, "Mo", "The cake arrived broken."),
)
WIDTH, MOST_HEIGHT = 640, 1_100
SIZES = ("small", "medium", "large")
PAGE = '<!doctype html><body style="margin: 16px; display: flex; gap: 24px; align-items: center">'


GALLERY = """# What people see

Pictures of a service that ran when this site was built.

## The e-mail

![The e-mail, light](e-mail-light.png)

![The e-mail, dark](e-mail-dark.png)

## The review page

![The review page, light](review-page-light.png)

![The review page, dark](review-page-dark.png)

## The public page

![The top of the public page, light](public-page-light.png)

![The top of the public page, dark](public-page-dark.png)

## The badge

![The badge: small, medium and large](badges.png)
"""


def samples(browser: Browser, folder: Path) -> None:
    """Write the pictures into `folder`, with a page that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.md").write_text(GALLERY, encoding="utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        driver = HttpDriver(Path(temporary), "memory:")
        try:
            _take(browser, driver, folder)
        finally:
            driver.close()


def _take(browser: Browser, driver: HttpDriver, folder: Path) -> None:
    context = ScenarioContext()
    driver.configure(base_url="https://reviews.example.com")
    shops.a_shop(driver, context, SHOP)
    shops.is_called(driver, SHOP, "Bakkerij De Molen")
    shops.writes_in(driver, SHOP, "English")
    driver.verify_host(SHOP, HOST)
    view.is_granted(driver, SHOP)
    key = context.api_keys[SHOP][0].secret.text
    for number, (rating, author, text) in enumerate(WRITTEN):
        driver.write_review(_invited(driver, key, f"2026-018{number}"), rating, text, author)
    token = _invited(driver, key, "2026-0193")
    driver.deliver()
    form = driver.request_page("GET", f"/r/{token}").html
    page = driver.request_page("GET", f"/shops/{SHOP}?language=en").html
    for scheme in ("light", "dark"):
        for name, html in {"e-mail": _newest_mail(driver), "review-page": form, "public-page": page}.items():
            _picture(browser, html, folder / f"{name}-{scheme}.png", scheme)
    _badges(browser, driver, folder / "badges.png")


def _invited(driver: Driver, key: str, order_number: str) -> str:
    """Report an order; return the token of its link."""
    reported = driver.report(Order(email=f"{order_number}@example.com", number=order_number, delay_days=0), key)
    assert isinstance(reported, Scheduled)  # noqa: S101 - the key and the order are ours
    return driver.review_token(reported.invite_id)


def _newest_mail(driver: Driver) -> str:
    message = email.message_from_bytes(driver.mailer.messages[-1].content, policy=policy.default)
    body = message.get_body(("html",))
    return str(body.get_content()) if isinstance(body, email.message.EmailMessage) else ""


def _picture(browser: Browser, html: str, file: Path, scheme: str) -> None:
    tab = browser.new_page(viewport={"width": WIDTH, "height": 200}, java_script_enabled=False)
    tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    tab.set_content(html)
    height = min(tab.evaluate("document.documentElement.scrollHeight"), MOST_HEIGHT)
    tab.screenshot(path=file, full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
    tab.close()


def _badges(browser: Browser, driver: HttpDriver, file: Path) -> None:
    """Take a picture of the badge in each size, on a page of the shop's own."""
    script = driver.load_script(f"/w/{SHOP}.js", {"Referer": f"https://{HOST}/"}).text
    scripts = {size: re.sub(r'"size":"\w+"', f'"size":"{size}"', script) for size in SIZES}

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2].removesuffix(".js")
        if name in scripts:
            route.fulfill(body=scripts[name], content_type="text/javascript")
        else:
            tags = "".join(f'<div><script src="/{size}.js"></script></div>' for size in SIZES)
            route.fulfill(body=f"{PAGE}{tags}", content_type="text/html")

    tab = browser.new_page(viewport={"width": 900, "height": 120})
    tab.route("**/*", answer)
    tab.goto(f"https://{HOST}/")
    tab.screenshot(path=file, full_page=True)
    tab.close()
