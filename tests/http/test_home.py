"""The service's own address: a page for people, an icon, and two files for robots. Spec: §4 (Pages), RFC 9116."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.http.service import Answer, Service, http_request
from tests.http.serving import serving
from tests.links import token_of

from reviewinvite_core import OrderReport, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.testing.builders import a_shop

IMPRINT: dict[str, Any] = {
    "base_url": "https://reviews.example.com",
    "operator_name": "Molen & Zoon B.V.",
    "operator_contact": "hallo@example.com",
    "privacy_url": "https://example.com/privacy?language=nl#reviews",
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A server that says who runs it."""
    with serving(**IMPRINT) as service:
        yield service


@pytest.fixture(scope="module")
def nameless() -> Iterator[Service]:
    """A server of which nobody has said who runs it."""
    with serving() as service:
        yield service


def get(service: Service, path: str, method: str = "GET", **headers: str) -> Answer:
    return http_request(service.address, method, path, **headers)


def links(answer: Answer) -> list[str]:
    return re.findall(r'<a href="([^"]+)"', answer.body.decode())


def brand(text: str) -> str:
    """The name at the top of a page."""
    return text.partition('class="brand"')[2].partition("<bdi>")[2].partition("</bdi>")[0]


@pytest.mark.parametrize(
    ("path", "accept_language", "language", "words"),
    [
        ("/", "", "nl", "Van wie is deze dienst?"),
        ("/", "de, en-GB;q=0.8, nl;q=0.5", "en", "Who runs this service?"),
        ("/", "en;q=0, fr", "nl", "Van wie is deze dienst?"),
        ("/?language=en", "nl", "en", "Who runs this service?"),
        ("/?language=xx", "en", "en", "Who runs this service?"),
    ],
)
def test_the_home_page_says_who_runs_the_service_in_ones_language(
    service: Service, path: str, accept_language: str, language: str, words: str
) -> None:
    answer = get(service, path, Accept_Language=accept_language)
    text = answer.body.decode()
    assert (answer.status, answer.headers["Content-Language"]) == (200, language)
    assert words in text
    assert "Molen &amp; Zoon B.V." in text
    assert brand(text) == "Molen &amp; Zoon B.V."
    assert "reviews.example.com" in text
    assert links(answer)[-2:] == ["mailto:hallo@example.com", "https://example.com/privacy?language=nl#reviews"]
    assert answer.headers["Vary"] == "Accept-Language"
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert "X-Robots-Tag" not in answer.headers
    assert answer.headers["Content-Security-Policy"].startswith(
        "default-src 'none'; img-src 'self'; style-src 'sha256-"
    )
    again = get(service, path, Accept_Language=accept_language, If_None_Match=answer.headers["ETag"])
    assert (again.status, again.body) == (304, b"")


def test_without_an_imprint_it_sends_people_to_the_shop(nameless: Service) -> None:
    text = get(nameless, "/?language=en").body.decode()
    assert "The operator of <bdi>127.0.0.1</bdi> has not given a name." in text
    assert brand(text) == "127.0.0.1"
    assert "contact the shop" in text
    assert links(get(nameless, "/?language=en")) == ["?language=nl"]


def test_other_methods_are_405_on_a_page(service: Service) -> None:
    answer = get(service, "/", "POST")
    assert (answer.status, answer.headers["Content-Type"]) == (405, "text/html; charset=utf-8")


def test_the_icon_is_an_image(service: Service) -> None:
    answer = get(service, "/favicon.ico")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "image/svg+xml")
    assert ElementTree.fromstring(answer.body).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own file
    assert get(service, "/favicon.ico", "HEAD").body == b""


def test_robots_may_read_public_pages_and_follow_no_personal_link(service: Service) -> None:
    answer = get(service, "/robots.txt")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert answer.body.decode().splitlines() == [
        "User-agent: *",
        "Disallow: /dashboard",
        "Disallow: /r/",
        "Disallow: /u/",
        "Disallow: /v1/",
    ]


def test_security_txt_names_the_contact_and_expires_in_some_months(service: Service) -> None:
    answer = get(service, "/.well-known/security.txt")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert answer.body.decode().splitlines() == [
        "Contact: mailto:hallo@example.com",
        "Expires: 2026-05-31T00:00:00Z",  # it is 2 March
        "Preferred-Languages: nl, en",
        "Canonical: https://reviews.example.com/.well-known/security.txt",
    ]


def test_without_a_contact_there_is_no_security_txt(nameless: Service) -> None:
    answer = get(nameless, "/.well-known/security.txt")
    assert (answer.status, answer.code) == (404, "not_found")


def test_a_browser_gets_a_page_with_a_way_on_where_there_is_none(service: Service) -> None:
    browser = "text/html,application/xhtml+xml,*/*;q=0.8"
    answer = get(service, "/review", Accept=browser)
    assert (answer.status, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "https://reviews.example.com/" in links(answer)
    for program in ("*/*", "application/json, text/html"):
        assert get(service, "/review", Accept=program).code == "not_found"
    assert get(service, "/v1/review", Accept=browser).code == "not_found"


def test_every_page_links_to_who_runs_the_service(service: Service, nameless: Service) -> None:
    expected = ["https://reviews.example.com/", "mailto:hallo@example.com", IMPRINT["privacy_url"]]
    for each, footer in ((service, expected), (nameless, [])):
        each.app.shops.add(a_shop("winkel"))
        caller = accepted(each.app.shops.act_for("winkel"))
        invited = accepted(each.app.orders.report(caller, OrderReport(email="anna@example.com")))
        opt_out = token_of(each.app, invited.invite_id)
        review = token_of(each.app, invited.invite_id, Purpose.REVIEW)
        for path in ("/shops/winkel", f"/r/{review}", f"/u/{opt_out}", "/r/nobody", "/shops/nobody"):
            footer_of = get(each, path).body.decode().partition("<footer")[2]
            assert re.findall(r'<a href="([^"]+)"', footer_of) == footer, path
        publisher = "Molen &amp; Zoon B.V." if footer else "127.0.0.1"
        assert f"We, <bdi>{publisher}</bdi>, publish" in get(each, f"/r/{review}?language=en").body.decode()


@pytest.mark.parametrize(("preferred", "languages"), [("en-GB,en", "en"), ("nl", "nl"), ("fr", "nl, en")])
def test_an_error_page_is_in_the_browsers_language(service: Service, preferred: str, languages: str) -> None:
    answer = http_request(service.address, "GET", "/r/none/such", Accept="text/html", Accept_Language=preferred)
    assert (answer.status, answer.headers["Content-Language"]) == (404, languages)
