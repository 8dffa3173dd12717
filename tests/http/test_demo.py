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
