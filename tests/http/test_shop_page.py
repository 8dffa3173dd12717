"""`GET /shops/<site_id>`: what anybody may see of a shop. Spec: §4 (Pages)."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Iterator

import pytest
from tests.http.page_parser import Page
from tests.http.service import Answer, Deployment, Service, http_request

from reviewinvite_core import NewShop, ShopChanges, accepted
from reviewinvite_core.domain.language import Language
from reviewinvite_core.values import Shop, TrustMark

_numbers = itertools.count(1)


@pytest.fixture
def shop(service: Service) -> Shop:
    """A shop of its own, with the trust mark and a verified host."""
    return give(service, a_shop_with_a_host(service), TrustMark.GRANTED)


def a_shop_with_a_host(service: Service) -> Shop:
    number = next(_numbers)
    made = accepted(service.app.shops.add(NewShop(site_id=f"page-{number}", name="Bakkerij De Molen")))
    service.app.domains.add(f"page-{number}", f"page{number}.example.nl", assume_verified=True)
    return made


def give(service: Service, shop: Shop, mark: TrustMark) -> Shop:
    """Bring the shop's trust mark to this state; one that was had cannot become absent again."""
    site = shop.site_id.text
    if mark is not TrustMark.ABSENT:
        service.app.trust_marks.grant(site)
    if mark is TrustMark.REVOKED:
        service.app.trust_marks.revoke(site)
    return accepted(service.app.shops.show(site))


def get(service: Service, shop: Shop | str, query: str = "", method: str = "GET") -> Answer:
    site = shop if isinstance(shop, str) else shop.site_id.text
    return http_request(service.address, method, f"/shops/{site}{query}")


def words(answer: Answer) -> str:
    return " ".join(Page(answer.body.partition(b"</style>")[2]).words.split())


def test_it_tells_the_name_the_mark_the_score_and_how_to_verify_them(service: Service, shop: Shop) -> None:
    answer = get(service, shop)
    found = Page(answer.body)
    assert answer.status == 200
    assert "Bakkerij De Molen" in words(answer)
    assert "Deze winkel heeft ons keurmerk." in words(answer)
    assert "Er zijn nog geen beoordelingen." in words(answer)
    site = shop.site_id.text
    assert f"page{site.removeprefix('page-')}.example.nl" in words(answer)
    assert f"reviewinvite verify http://127.0.0.1:8000/v1/verify/{site}" in words(answer)
    assert [each["href"] for each in found.all("a")] == [
        "http://127.0.0.1:8000/",
        "?language=en",
        f"https://page{site.removeprefix('page-')}.example.nl",
        "#verify",
        f"https://page{site.removeprefix('page-')}.example.nl",
        f"http://127.0.0.1:8000/v1/verify/{site}",
        "http://127.0.0.1:8000/v1/badge/public-keys",
    ]


def test_who_verifies_by_its_steps_reads_the_status_last(service: Service, shop: Shop) -> None:
    assert "status: alleen trusted betekent dat de winkel ons keurmerk heeft. Of doe" in words(get(service, shop))
    assert "status: only trusted means that the shop has our trust mark. Or do" in words(
        get(service, shop, "?language=en")
    )


def test_it_is_in_the_shops_language_or_the_one_asked_for(service: Service, shop: Shop) -> None:
    for query, language in (("", "nl"), ("?language=en", "en"), ("?language=de", "nl"), ("?%ff&&=", "nl")):
        answer = get(service, shop, query)
        assert (answer.status, answer.headers["Content-Language"]) == (200, language)
        assert Page(answer.body).all("html") == [{"lang": language}]
    service.app.shops.update(shop.site_id.text, ShopChanges(language=Language.EN))
    assert get(service, shop).headers["Content-Language"] == "en"


def test_everybody_may_keep_and_find_it_and_it_loads_nothing(service: Service, shop: Shop) -> None:
    answer = get(service, shop)
    style = re.search(rb"<style>(.*?)</style>", answer.body, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1]).digest()).decode()
    assert {name: answer.headers.get_all(name) for name in ("Content-Security-Policy", "Cache-Control")} == {
        "Content-Security-Policy": [
            f"default-src 'none'; img-src 'self'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'"
        ],
        "Cache-Control": ["public, max-age=300"],
    }
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "X-Robots-Tag" not in answer.headers
    assert "Set-Cookie" not in answer.headers
    assert b"noindex" not in answer.body
    assert not {tag for tag, _ in Page(answer.body).tags} & {"script", "img", "iframe", "form", "input"}
    assert {each["rel"] for each in Page(answer.body).all("link")} == {"canonical", "alternate", "icon"}
    assert not re.search(rb"url\(|@import|\sstyle=|\son\w+=", answer.body)


def test_looking_is_no_view(service: Service, shop: Shop) -> None:
    for _ in range(3):
        get(service, shop)
    assert accepted(service.app.badges.show_views(shop.site_id.text)).counted == 0
    http_request(service.address, "GET", f"/w/{shop.site_id}.js")
    assert accepted(service.app.badges.show_views(shop.site_id.text)).counted == 1


@pytest.mark.parametrize(
    "name", ["</title></style><script>alert(1)</script>", "{{ 7 * 7 }}", "مخبز", "'\"&<b>", "🎁" * 200]
)
def test_a_shops_name_is_text_and_nothing_else(service: Service, shop: Shop, name: str) -> None:
    service.app.shops.update(shop.site_id.text, ShopChanges(name=name))
    found = Page(get(service, shop).body)
    assert found.words.count(name) == 2  # the title and the heading
    assert found.all("bdi")
    assert not {tag for tag, _ in found.tags} & {"script", "b"}


@pytest.fixture
def stopped(deployment: Deployment) -> Iterator[Answer]:
    """The answer of a service whose database is away."""
    process = deployment.serve()
    deployment.take_database_away()
    yield http_request(process.address, "GET", "/shops/bakkerij-1")
    process.terminate()


def test_a_failure_of_ours_is_a_page_that_is_not_kept(stopped: Answer) -> None:
    assert (stopped.status, stopped.headers["Cache-Control"]) == (503, "no-store")
    assert stopped.headers["Retry-After"] == "5"
    assert "Tijdelijk niet beschikbaar" in words(stopped)
