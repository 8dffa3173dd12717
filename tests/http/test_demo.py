"""The demo over HTTP: what a visitor finds who follows its links."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from tests.demo import Demo, running_demo

from reviewinvite_http.demo.history import NEW_SHOP, SITE_ID


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
