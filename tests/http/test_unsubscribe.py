"""`/u/<token>`: a page with a button that changes nothing by itself, and a POST that opts out."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.http.page_parser import FORM, Page
from tests.http.service import SITE, Answer, Deployment, Service, an_order, connect, http_request, report
from tests.links import token_of

from reviewinvite_core import NewShop, ShopChanges, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_http.pages.page import is_page
from reviewinvite_http.requests import routed_path

BOUNDARY = "multipart/form-data; boundary=x"


def multipart(**fields: str) -> bytes:
    parts = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{name.replace("_", "-")}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    return f"{parts}--x--\r\n".encode()


HOME = "http://127.0.0.1:8000/"
OTHERS = {"name": "everywhere", "value": "yes"}
UNDO = {"name": "action", "value": "resubscribe"}
ODD = {
    "nothing at all": (None, b""),
    "another type": ("application/json", b'{"everywhere": "yes"}'),
    "another word": (FORM, b"everywhere=no"),
    "another action": (FORM, b"action=unsubscribe"),
    "the one click and another wish": (FORM, b"List-Unsubscribe=One-Click&action=resubscribe"),
    "that as a form in parts": (BOUNDARY, multipart(action="resubscribe", List_Unsubscribe="One-Click")),
    "the wish twice": (FORM, b"action=resubscribe&action=resubscribe"),
    "no text": (FORM, b"\xff\xfe%zz=&&&==;"),
    "parts without a boundary": ("multipart/form-data", multipart(everywhere="yes")),
    "parts that do not end": (BOUNDARY, b'--x\r\nContent-Disposition: form-data; name="'),
}


@pytest.fixture
def path(service: Service, key: str) -> str:
    """The address of the link in a customer's new invitation."""
    return path_of(service, key, f"{key[-6:]}@example.com")


def path_of(service: Service, key: str, email: str, **fields: object) -> str:
    return f"/u/{token_of(service.app, report_of(service, key, email, **fields))}"


def report_of(service: Service, key: str, email: str, **fields: object) -> str:
    return str(report(service.address, key, an_order(email, **fields)).json["inviteId"])


def get(service: Service, path: str, **headers: str) -> Answer:
    return http_request(service.address, "GET", path, **headers)


def post(service: Service, path: str, content_type: str | None = FORM, body: bytes = b"") -> Answer:
    headers = {"Content_Type": content_type} if content_type else {}
    return http_request(service.address, "POST", path, body, **headers)


def buttons(answer: Answer) -> list[dict[str, str | None]]:
    """The names and values of the buttons."""
    found = Page(answer.body).all("button")
    return [{name: value for name, value in each.items() if name != "class"} for each in found]


def test_the_page_names_the_shop_and_what_each_button_does(service: Service, path: str) -> None:
    answer = get(service, path)
    page = Page(answer.body)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Content-Language"] == "nl"
    assert page.all("html") == [{"lang": "nl"}]
    assert page.all("form") == [{"method": "post", "class": "buttons"}]
    assert buttons(answer) == [{}, {"name": "everywhere", "value": "yes"}]
    words = " ".join(page.words.split())
    assert "Geen uitnodigingen meer van Bakkerij De Molen" in words
    assert "van welke winkel dan ook" in words


def test_a_page_needs_nothing_but_itself(service: Service, path: str) -> None:
    for answer in (get(service, path), get(service, "/u/x"), post(service, path)):
        page = Page(answer.body)
        assert not {tag for tag, _ in page.tags} & {"script", "img", "iframe", "object", "input"}
        assert page.all("link") == [{"rel": "icon", "type": "image/svg+xml", "href": "/favicon.ico"}]
        body = answer.body.partition(b"<body>")[2].replace(HOME.encode(), b"")
        assert not re.search(rb"url\(|@import|https?:|//|\son\w+=|\sstyle=", body)
        assert b"url(" not in answer.body
        assert "Set-Cookie" not in answer.headers
        assert {each["href"] for each in page.all("a")} <= {HOME, "?language=en"}
        assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all("meta")


def test_every_page_has_the_headers_that_forbid_all_else(service: Service, path: str) -> None:
    huge = post(service, path, body=b"x" * 16_385)
    answers = [get(service, path), post(service, path), get(service, "/u/x"), post(service, "/u/x"), huge]
    answers.append(http_request(service.address, "PUT", path))
    assert [answer.status for answer in answers] == [200, 200, 404, 404, 200, 405]
    for answer in answers:
        style = re.search(rb"<style>(.*?)</style>", answer.body, re.DOTALL)
        assert style
        digest = base64.b64encode(hashlib.sha256(style[1]).digest()).decode()
        assert answer.headers.get_all("Content-Security-Policy") == [
            f"default-src 'none'; img-src 'self'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'"
        ]
        expected = {
            "Content-Type": "text/html; charset=utf-8",
            "Referrer-Policy": "no-referrer",
            "X-Robots-Tag": "noindex",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        assert {name: answer.headers.get_all(name) for name in expected} == {
            name: [value] for name, value in expected.items()
        }


@pytest.mark.parametrize("form", ODD.values(), ids=ODD)
def test_whatever_else_is_posted_opts_out_of_the_shop_alone(
    service: Service, path: str, form: tuple[str | None, bytes]
) -> None:
    answer = post(service, path, *form)
    assert answer.status == 200
    assert "U krijgt geen uitnodigingen meer van" in Page(answer.body).words
    assert buttons(answer) == [OTHERS, UNDO]


@given(
    st.sampled_from([FORM, BOUNDARY, 'multipart/form-data; boundary="', "multipart/form-data; boundary*=x''y", ""])
    | st.text(st.characters(codec="latin-1", exclude_categories=["Cc"])),
    st.binary()
    | st.lists(st.sampled_from([b"--x", b"\r\n", b"Content-Disposition: ", b"name*0=", b'"', b";", b"="])).map(
        b"".join
    ),
)
def test_no_body_is_too_odd_to_be_read(service: Service, content_type: str, body: bytes) -> None:
    answer = http_request(service.address, "POST", "/u/unknown", body, Content_Type=content_type)
    assert answer.status == 404


def test_the_page_is_in_the_invitations_language_or_the_one_asked_for(service: Service, key: str) -> None:
    path = path_of(service, key, "english@example.com", language="en")
    assert "No more invitations from Bakkerij De Molen" in Page(get(service, path).body).words
    for query, language in (("language=nl", "nl"), ("language=de", "en"), ("language=", "en"), ("%ff&&=", "en")):
        answer = get(service, f"{path}?{query}")
        assert (answer.status, answer.headers["Content-Language"]) == (200, language)
    stopped = post(service, f"{path}?language=nl")
    assert "U krijgt geen uitnodigingen meer" in Page(stopped.body).words


@pytest.mark.parametrize("name", ['<script>alert("x")</script>', "{{ 7 * 7 }}", "مخبز", "'\"&<b>"])
def test_a_shops_name_is_text_and_nothing_else(service: Service, path: str, name: str) -> None:
    before = accepted(service.app.shops.show(SITE)).name
    service.app.shops.update(SITE, ShopChanges(name=name))
    try:
        page = Page(get(service, path).body)
    finally:
        service.app.shops.update(SITE, ShopChanges(name=before))
    assert f"Geen uitnodigingen meer van {name}" in page.words
    assert not {tag for tag, _ in page.tags} & {"script", "b"}


def test_a_token_that_is_none_gets_a_friendly_page_in_both_languages_that_tells_no_more(
    service: Service, key: str
) -> None:
    invite_id = report_of(service, key, "token@example.com")
    token, review = (token_of(service.app, invite_id, purpose) for purpose in (Purpose.UNSUBSCRIBE, Purpose.REVIEW))
    changed = ("A" if token[0] != "A" else "B") + token[1:]
    garbled = (
        "x",
        token[:-1],
        f"{token}A",
        token.lower(),
        changed,
        review,
        "%00",
        "%F0%9F%8E%81",
        "..%2f..",
        "A" * 4000,
    )
    answers = [http_request(service.address, method, f"/u/{each}") for each in garbled for method in ("GET", "POST")]
    assert {answer.status for answer in answers} == {404}
    assert len({answer.body for answer in answers}) == 1
    page = Page(answers[0].body)
    assert [each["lang"] for each in page.all("section")] == ["nl", "en"]
    assert "Deze pagina bestaat niet" in page.words
    assert "This page does not exist" in page.words
    assert get(service, f"/u/{token}").status == 200


@pytest.mark.parametrize("prefix", ["/u/", "/r/", "//u/", "/r//", "///r/"])
def test_a_personal_link_is_a_page_with_slashes_too_many(prefix: str) -> None:
    """The router takes slashes that follow one another for one, so such a link works, too."""
    scope: Any = {"path": f"{prefix}secret"}
    assert is_page(routed_path(scope))


def test_errors_of_the_api_stay_json(service: Service, path: str) -> None:
    for elsewhere in ("/u", "/v1/u/x", "/nothing"):
        answer = get(service, elsewhere)
        assert (answer.status, answer.code) == (404, "not_found")
    assert get(service, "/v1/orders").code == "method_not_allowed"
    wrong = http_request(service.address, "DELETE", path)
    assert wrong.status == 405
    assert set(wrong.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


def test_links_and_addresses_are_in_no_log(deployment: Deployment) -> None:
    with deployment.library() as app:
        app.shops.add(NewShop(site_id=SITE, name="Molen"))
        key = accepted(app.api_keys.create(SITE, "x")).secret.text
    process = deployment.serve()

    def order(number: str) -> str:
        body = an_order("quiet-anna@example.com", orderNumber=number, delayDays=0)
        return str(report(process.address, key, body).json["inviteId"])

    ids = [order("1"), order("2")]
    with deployment.library() as app:
        tokens = [token_of(app, each) for each in ids]
        token = tokens[0]
    wanted = [200, 200, 200, 404, 405]
    path = f"/u/{token}"
    asked = [
        http_request(process.address, "GET", path),
        http_request(process.address, "POST", path, b"List-Unsubscribe=One-Click", Content_Type=FORM),
        http_request(process.address, "POST", path, b"everywhere=yes", Content_Type=FORM),
        http_request(process.address, "POST", f"{path}x"),
        http_request(process.address, "PUT", path),
    ]
    assert [answer.status for answer in asked] == wanted
    deployment.command.ok("privacy", "erase", "--yes", "quiet-anna@example.com")
    deployment.command.ok("privacy", "purge")
    deployment.take_database_away()
    away = [http_request(process.address, method, path) for method in ("GET", "POST")]
    assert [answer.status for answer in away] == [503, 503]
    assert all(answer.headers["Retry-After"] == "5" for answer in away)
    assert all("Tijdelijk niet beschikbaar" in Page(answer.body).words for answer in away)
    process.terminate()
    log = process.log
    assert '"route": "/u/..."' in log
    for secret in (*tokens, token[:20], token[-20:], "quiet-anna", "example.com"):
        assert secret not in log


def test_a_page_that_is_asked_for_with_a_broken_request_is_no_fault(service: Service, path: str) -> None:
    connection = connect(service.address)
    try:
        connection.putrequest("POST", path)
        connection.putheader("Content-Type", b"\xff\xfe; boundary=\xe9")
        connection.putheader("Content-Length", "3")
        connection.endheaders(b"a=b")
        assert connection.getresponse().status == 200
    finally:
        connection.close()
