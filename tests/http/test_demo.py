"""The demo over HTTP: what a visitor finds who follows its links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from tests.demo import Demo, running_demo

from reviewinvite_http.demo.history import NEW_SHOP, SITE_ID
from reviewinvite_http.demo.hosts import shop_url


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running_demo(tmp_path_factory.mktemp("demo")) as demo:
        yield demo


@pytest.fixture
def visitor(demo: Demo) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=demo.base_url, follow_redirects=True, headers={"Accept-Language": "en"}) as client:
        yield client


def test_the_dashboard_opens_on_the_overview_of_a_running_shop(visitor: httpx.Client) -> None:
    overview = visitor.get("/demo/dashboard")
    assert overview.url.path == f"/dashboard/{SITE_ID}/"
    assert "Set up your shop" not in overview.text
    figures = re.findall(r'<td class="number">(\d+)</td><td class="number">(\d+)</td>', overview.text)
    assert len(figures) == 52
    assert len([sent for sent, reviews in figures if int(reviews)]) > 40  # which weeks have none depends on the day
    (views,) = re.findall(r"<dt>Views today</dt><dd>(\d+)</dd>", overview.text)
    assert int(views) > 0


def test_the_owner_has_a_second_shop_to_set_up(visitor: httpx.Client) -> None:
    assert f'href="/dashboard/{NEW_SHOP.site_id}/"' in visitor.get("/demo/dashboard").text
    overview = visitor.get(f"/dashboard/{NEW_SHOP.site_id}/")
    assert "Set up your shop" in overview.text
    assert "Invitations sent" not in overview.text


@pytest.mark.parametrize(
    ("path", "accept_language", "language"),
    [
        ("/demo", "nl", "nl"),
        ("/demo", "de", "en"),
        ("/demo/inbox", "nl", "nl"),
        ("/demo?language=nl", "en", "nl"),
        ("/demo?language=fr", "en", "en"),
    ],
)
def test_its_pages_are_in_the_language_of_their_reader(
    demo: Demo, path: str, accept_language: str, language: str
) -> None:
    with httpx.Client(base_url=demo.base_url, headers={"Accept-Language": accept_language}) as client:
        answer = client.get(path)
        assert answer.headers["content-language"] == language
        assert f'<html lang="{language}">' in answer.text


def test_a_chosen_language_is_kept_and_holds_in_the_dashboard(visitor: httpx.Client) -> None:
    visitor.get("/demo?language=nl")
    assert '<html lang="nl">' in visitor.get("/demo/inbox").text
    assert '<html lang="nl">' in visitor.get("/demo/dashboard").text


def test_the_home_page_names_the_demo_and_no_host(visitor: httpx.Client) -> None:
    home = visitor.get("/").text
    assert "<title>reviewinvite demo: reviews by customers</title>" in home
    assert "<bdi>reviewinvite demo</bdi> runs this service." in home


def test_opening_the_dashboard_again_makes_no_second_session(visitor: httpx.Client) -> None:
    visitor.get("/demo/dashboard")
    before = visitor.cookies["session"]
    visitor.get("/demo/new-shop")
    assert visitor.cookies["session"] == before


@pytest.mark.parametrize("path", ["/demo/nowhere", "/demo/inbox/nothing.eml"])
def test_a_page_that_does_not_exist_leads_back(visitor: httpx.Client, path: str) -> None:
    answer = visitor.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert '<a href="/demo">Back to the demo</a>' in answer.text


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/thank-you/2026-9999", 404), ("/order", 405)])
def test_an_unknown_page_of_the_shop_leads_back(demo: Demo, path: str, status: int) -> None:
    headers = {"Host": urlsplit(shop_url(demo.base_url)).netloc, "Accept-Language": "en"}
    answer = httpx.get(demo.base_url + path, headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert "<h1>This page does not exist</h1>" in answer.text
    assert f'<a href="{demo.start}?language=en">Back to the demo</a>' in answer.text


@pytest.mark.parametrize(
    "path", ["/", f"/shops/{SITE_ID}", "/demo/dashboard", f"/dashboard/{SITE_ID}/nothing", "/dashboard/sign-in"]
)
def test_every_page_of_the_service_leads_back(visitor: httpx.Client, path: str) -> None:
    answer = visitor.get(path, headers={"Accept": "text/html"})
    assert answer.text.count('<a href="/demo?language=en">Back to the demo</a>') == 1
    assert "style-src 'self'" in answer.headers["content-security-policy"]
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_a_page_that_the_browser_has_keeps_a_policy_that_admits_the_bar(visitor: httpx.Client) -> None:
    """A 304 replaces the fields of the page that the browser has."""
    fresh = visitor.get(f"/shops/{SITE_ID}")
    again = visitor.get(f"/shops/{SITE_ID}", headers={"If-None-Match": fresh.headers["etag"]})
    assert again.status_code == 304
    assert again.headers["content-security-policy"] == fresh.headers["content-security-policy"]


def test_neither_a_frame_nor_a_program_gets_the_bar(visitor: httpx.Client) -> None:
    visitor.get("/demo/dashboard")
    preview = visitor.get(f"/dashboard/{SITE_ID}/integrations/preview", headers={"Sec-Fetch-Dest": "iframe"})
    assert preview.status_code == 200
    for answer in (preview, visitor.get(f"/v1/verify/{SITE_ID}"), visitor.get("/openapi.json")):
        assert "demo-bar" not in answer.text
