"""Signing in to the dashboard by a link, sessions and their cookie. Spec: §10.2, §10.3."""

from __future__ import annotations

from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from tests.http.dashboard import OWN, Visitor, a_link, a_new_link, opened, signed_in, where, words
from tests.http.page_parser import FORM, Page
from tests.http.service import SITE, Answer, Service
from tests.http.serving import serving
from tests.members import links_to

from reviewinvite_core import NewMember, Role
from reviewinvite_core.testing.builders import a_shop

HTTPS: dict[str, Any] = {"base_url": "https://reviews.example.com", "dashboard_url": "https://dashboard.example.com"}


@pytest.fixture(scope="module")
def secure() -> Iterator[Service]:
    """A service behind a proxy that speaks https, whose dashboard has a host of its own."""
    with serving(**HTTPS) as service:
        service.app.shops.add(a_shop(SITE))
        yield service


def ask(visitor: Visitor, email: str, next: str = "", **headers: str) -> Answer:  # noqa: A002 - a field of the form
    return visitor.post("/dashboard/sign-in", {"email": email, **({"next": next} if next else {})}, **headers)


def session_of(answer: Answer, name: str = "session") -> SimpleCookie:
    cookies = [SimpleCookie(each) for each in answer.headers.get_all("Set-Cookie", [])]
    return next(each for each in cookies if name in each)


def test_the_form_asks_for_an_address_and_nothing_else(service: Service) -> None:
    page = Visitor(service).page("/dashboard/sign-in")
    assert [(each["name"], each["type"]) for each in page.all("input")] == [("email", "email")]
    assert [each["method"] for each in page.all("form")] == ["post"]


def test_known_and_unknown_addresses_get_the_same_page(service: Service) -> None:
    a_link(service, SITE, "known@example.com")
    known, unknown = (ask(Visitor(service), f"{each}@example.com") for each in ("known", "other"))
    assert (known.status, unknown.status) == (200, 200)
    assert known.body.replace(b"known@", b"other@") == unknown.body
    for answer in (known, unknown):
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("email", ["", "anna", "anna@", "a@b@c", "x" * 300 + "@example.com"])
def test_what_is_no_address_comes_back_to_be_corrected(service: Service, email: str) -> None:
    answer = ask(Visitor(service), email)
    assert answer.status == 422
    assert [each["value"] for each in Page(answer.body).all("input")] == [email]
    assert "aria-invalid" in answer.body.decode()


@pytest.mark.parametrize("change", [str.lower, lambda link: link[:-1], lambda link: link + "A", lambda link: link[:-4]])
def test_an_altered_link_is_answered_as_an_old_one(service: Service, change: object) -> None:
    link = a_new_link_of_somebody(service)
    old = opened_link(service)
    altered = Visitor(service).get(change(link))  # type: ignore[operator]
    assert (altered.status, words(altered)) == (404, words(Visitor(service).get(old)))


def a_new_link_of_somebody(service: Service) -> str:
    if not any(each.email == "somebody@example.com" for each in service.app.members.list(SITE)):  # type: ignore[union-attr]
        a_link(service, SITE, "somebody@example.com")
    return a_new_link(service, SITE, "somebody@example.com")


def opened_link(service: Service) -> str:
    link = a_new_link_of_somebody(service)
    Visitor(service).post(link)
    return link


def test_the_session_is_in_a_cookie_that_scripts_and_other_sites_do_not_get(service: Service) -> None:
    answer = Visitor(service).post(a_link(service, SITE, "cookie@example.com"))
    morsel = session_of(answer)["session"]
    assert (morsel["httponly"], morsel["samesite"], morsel["path"], morsel["domain"]) == (True, "lax", "/", "")
    assert morsel["secure"] == ""


def test_over_https_the_cookie_is_bound_to_the_host(secure: Service) -> None:
    link = a_link(secure, SITE, "https@example.com")
    answer = Visitor(secure).post(link, Host="dashboard.example.com")
    morsel = session_of(answer, "__Host-session")["__Host-session"]
    assert (morsel["secure"], morsel["httponly"], morsel["samesite"], morsel["path"]) == (True, True, "lax", "/")
    assert answer.headers["Location"] == "/dashboard/"


def test_a_browser_is_recognised_after_signing_out_and_gets_a_link_of_its_own(service: Service) -> None:
    visitor = opened(service, a_link(service, SITE, "device@example.com"))
    answer = Visitor(service).post(a_new_link(service, SITE, "device@example.com"))
    morsel = session_of(answer, "device")["device"]
    assert (morsel["httponly"], morsel["samesite"], morsel["path"], morsel["max-age"]) == (True, "lax", "/", "7776000")
    visitor.post("/dashboard/sign-out")

    def mails_after(asking: Visitor) -> int:
        list(service.app.delivery.once())
        ask(asking, "device@example.com")
        return len(links_to(service.app, "device@example.com"))

    assert [mails_after(Visitor(service)) for _ in range(6)] == [1, 1, 1, 1, 1, 0]
    assert [mails_after(visitor), mails_after(Visitor(service))] == [1, 0]


def test_over_https_browsers_are_told_to_stay_there(secure: Service, service: Service) -> None:
    for path, status in (("/dashboard/sign-in", 200), ("/dashboard/sessions", 303)):
        answer = Visitor(secure).get(path, Host="dashboard.example.com")
        assert (answer.status, answer.headers["Strict-Transport-Security"]) == (status, "max-age=31536000")
    assert "Strict-Transport-Security" not in Visitor(service).get("/dashboard/sign-in").headers


def test_a_planted_session_is_worth_nothing(service: Service) -> None:
    """Session fixation: what the browser had before is ended, and the new session has a new id."""
    planted = signed_in(service, SITE, "attacker@example.com", Role.STAFF)
    victim = Visitor(service)
    victim.cookies = dict(planted.cookies)
    victim.post(a_link(service, SITE, "victim@example.com"))
    assert victim.cookies["session"] != planted.cookies["session"]
    assert "victim@example.com" in words(victim.get("/dashboard/sessions"))
    assert where(planted.get("/dashboard/sessions")).startswith("/dashboard/sign-in")


@pytest.mark.parametrize("value", ["", "x", "A" * 43, "'; drop", "%00"])
def test_a_made_up_session_is_none(service: Service, value: str) -> None:
    visitor = Visitor(service)
    visitor.cookies["session"] = value
    assert where(visitor.get("/dashboard/sessions")) == "/dashboard/sign-in?next=%2Fdashboard%2Fsessions"


def test_without_a_session_every_page_leads_to_the_sign_in_and_back(service: Service) -> None:
    visitor = Visitor(service)
    leads_to = where(visitor.get(f"/dashboard/{SITE}/activity?since=2026-01-01"))
    assert leads_to == f"/dashboard/sign-in?next=%2Fdashboard%2F{SITE}%2Factivity%3Fsince%3D2026-01-01"
    hidden = [each for each in visitor.page(leads_to).all("input") if each["type"] == "hidden"]
    assert [(each["name"], each["value"]) for each in hidden] == [
        ("next", f"/dashboard/{SITE}/activity?since=2026-01-01")
    ]
    a_link(service, SITE, "back@example.com")
    ask(visitor, "back@example.com", next=f"/dashboard/{SITE}/activity?since=2026-01-01")
    link = a_new_link(service, SITE, "back@example.com")
    assert where(visitor.post(link)) == f"/dashboard/{SITE}/activity?since=2026-01-01"
    assert "return" not in visitor.cookies


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/dashboard.evil.example",
        "/dashboard//evil.example",
        "/dashboard/../u/x",
        "/dashboard/..",
        "/dashboard@evil.example",
        "/dashboard/%0d%0aSet-Cookie:x",
        "/dashboard/\r\nX: y",
        "/u/x",
        "javascript:alert(1)",
        "/dashboard/" + "x" * 1000,
        "/dashboard/x#y",
    ],
)
def test_no_way_leads_to_another_site(service: Service, elsewhere: str) -> None:
    visitor = Visitor(service)
    visitor.cookies["return"] = elsewhere.replace("\r\n", "")
    link = a_new_link_of_somebody(service)
    ask(visitor, "somebody@example.com", next=elsewhere)
    assert where(visitor.post(link)) == "/dashboard/"


def test_over_plain_http_the_dashboard_is_for_this_machine_only() -> None:
    with serving(base_url="http://reviews.example.com") as service:
        service.app.shops.add(a_shop(SITE))
        link = a_link(service, SITE, "plain@example.com")
        for answer in (Visitor(service).get("/dashboard/sign-in"), Visitor(service).post(link)):
            assert answer.status == 403
            assert "Set-Cookie" not in answer.headers
            assert "beveiligde verbinding" in words(answer)


def test_a_dashboard_with_a_host_of_its_own_answers_there_only(secure: Service) -> None:
    for host, status in (("dashboard.example.com", 200), ("reviews.example.com", 404), ("evil.example", 404)):
        assert Visitor(secure).get("/dashboard/sign-in", Host=host).status == status, host


def test_it_may_be_below_a_path_that_a_proxy_takes_away() -> None:
    with serving(base_url="http://127.0.0.1:8000/reviews") as service:
        service.app.shops.add(a_shop(SITE))
        visitor = Visitor(service)
        leads_to = where(visitor.get("/dashboard/sessions"))
        assert leads_to == "/reviews/dashboard/sign-in?next=%2Freviews%2Fdashboard%2Fsessions"
        a_link(service, SITE, "below@example.com")
        page = Page(ask(visitor, "below@example.com", next="/reviews/dashboard/sessions").body)
        assert str(page.all("link")[0]["href"]).startswith("/reviews/dashboard/assets/")
        link = a_new_link(service, SITE, "below@example.com").removeprefix("/reviews")
        assert where(visitor.post(link)) == "/reviews/dashboard/sessions"
        links = [each["href"] for each in visitor.page("/dashboard/sessions").all("a") if each.get("hreflang")]
        assert links == ["/reviews/dashboard/sessions?language=en"]


def test_no_link_is_made_from_the_host_of_a_request(service: Service) -> None:
    visitor = Visitor(service)
    for path in ("/dashboard", "/dashboard/sign-in", "/dashboard/sessions", "/dashboard/nothing"):
        answer = visitor.get(path, Host="evil.example")
        assert b"evil.example" not in answer.body
        assert "evil.example" not in str(answer.headers)


def test_a_link_is_shown_in_the_members_language(service: Service) -> None:
    service.app.members.add(SITE, NewMember(email="english-link@example.com", language="en"))
    answer = Visitor(service).get(a_new_link(service, SITE, "english-link@example.com"), Accept_Language="nl")
    assert answer.headers["Content-Language"] == "en"


def test_signing_out_ends_the_session(service: Service) -> None:
    visitor = signed_in(service, SITE, "out@example.com")
    before = dict(visitor.cookies)
    assert where(visitor.post("/dashboard/sign-out")) == "/dashboard/sign-in?done=out"
    assert visitor.cookies.keys() == {"device"}
    visitor.cookies = before
    assert visitor.get("/dashboard/sessions").status == 303


def test_a_form_in_an_odd_type_is_refused(service: Service) -> None:
    visitor = signed_in(service, SITE, "type@example.com")
    for content_type in ("multipart/form-data; boundary=x", "text/plain", "application/json"):
        assert visitor.request("POST", "/dashboard/sign-out", b"x", Content_Type=content_type, **OWN).status == 415
    huge = visitor.request("POST", "/dashboard/sign-out", b"a=" + b"x" * 64 * 1024, Content_Type=FORM, **OWN)
    assert (huge.status, huge.headers["Content-Type"]) == (413, "text/html; charset=utf-8")
    many = visitor.request("POST", "/dashboard/sign-out", b"&".join([b"a=1"] * 200), Content_Type=FORM, **OWN)
    assert many.status == 400
    assert visitor.get("/dashboard/sessions").status == 200
