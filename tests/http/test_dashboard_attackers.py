"""Every address of the dashboard under attack: foreign forms, wrong roles, other shops' ids. Spec: §10.1, §10.4."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from urllib.parse import quote, urlencode

import attrs
import pytest
from litestar.routes import HTTPRoute
from tests.budgets import others_in_full
from tests.http.absent_storage import AbsentStorage
from tests.http.dashboard import OWN, Visitor, signed_in, where, words
from tests.http.dashboard_routes import GET, POST, ROUTES, For
from tests.http.page_parser import FORM
from tests.http.service import SITE, Answer, Service
from tests.http.serving import serving
from tests.logs import captured_logs
from tests.shop_with_reviews import reported, written

from reviewinvite_core import OPERATOR, InvitationQuery, NewReply, NewShop, ReviewQuery, Role, accepted
from reviewinvite_core.domain.shop import TAKEN_SITE_IDS
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import ActivityQuery, ShopExists
from reviewinvite_http.app import create_app

OTHER = "other-shop"
ORIGIN = "http://127.0.0.1:8000"
OF_SHOPS = {route: entry for route, entry in ROUTES.items() if "{site_id:str}" in route[1]}
LISTS = [
    f"/dashboard/{{site_id:str}}/{name}{suffix}"
    for name in ("reviews", "invitations", "members", "activity")
    for suffix in ("", ".csv")
]
OWN_ORDERS = ("OWN-EARLIER", "OWN-LATER")
"""The numbers of two orders of one's own, before and after those of the other shop."""
POSTS = [path for method, path in ROUTES if method == POST]
TYPED = {"snippet", "text", "label", "host", "theme", "delay_days", "name", "reply_to", "email"}
"""Fields that people fill in; the others are those of a button."""
SIGNED_IN_POSTS = [
    path for (method, path), entry in ROUTES.items() if method == POST and entry.who is not For.EVERYBODY
]


@attrs.frozen
class House:
    """Two shops, each with an owner and somebody of the staff, and the other shop's ids.

    `places` are the other shop's too: a cursor for each list, and the number of an order.
    """

    service: Service
    owner: Visitor
    staff: Visitor
    stranger: Visitor
    ids: Mapping[str, str]
    places: Mapping[str, str]

    def path(self, path: str, site: str = SITE) -> str:
        """Return an address with the ids of the other shop."""
        return re.sub(r"{(\w+):str}", lambda found: {**self.ids, "site_id": site}[found[1]], path)

    def send(self, visitor: Visitor, route: tuple[str, str], site: str = SITE, **headers: str) -> Answer:
        """Send a request as the visitor's browser would, to the addresses of a shop."""
        method, path = route
        if method == GET:
            return visitor.get(self.path(path, site), **headers)
        return visitor.post(self.path(path, site), dict(ROUTES[route].fields), **headers)


@pytest.fixture(scope="module")
def storage() -> AbsentStorage:
    return AbsentStorage()


@pytest.fixture(scope="module")
def house(storage: AbsentStorage) -> Iterator[House]:
    with serving(storage=storage) as service:
        service.app.shops.add(a_shop(SITE))
        service.app.shops.add(NewShop(site_id=OTHER, name="Other"))
        owner = signed_in(service, SITE, "owner@example.com")
        staff = signed_in(service, SITE, "staff@example.com", Role.STAFF)
        earlier, later = OWN_ORDERS
        answered(service, earlier)
        stranger = signed_in(service, OTHER, "stranger@example.com")
        [member] = accepted(service.app.members.list(OTHER))
        review = written(service.app, OTHER, author="The other's customer")
        number = "THEIRS-0"
        ids = {
            "token": "A" * 43,
            "version": "x",
            "name": "style.css",
            "member_id": member.member_id,
            "review_id": review.review_id,
            "invite_id": reported(service.app, OTHER, delay=5, order_number=number),
            "key_id": accepted(service.app.api_keys.create(OTHER)).api_key.key_id,
            "host": accepted(service.app.domains.add(OTHER, "other.example.nl")).host.text,
        }
        places = {
            "reviews": review.review_id,
            "invitations": ids["invite_id"],
            "members": member.member_id,
            "activity": accepted(service.app.members.list_activity(OTHER, ActivityQuery())).entries[0].activity_id,
            "order": number,
        }
        service.clock.advance(timedelta(seconds=1))
        answered(service, later)
        yield House(service, owner, staff, stranger, ids, places)


def answered(service: Service, order_number: str) -> None:
    """Have a customer of one's own shop write a review, and answer it; the next second begins."""
    review = written(service.app, SITE, order_number=order_number)
    accepted(
        service.app.reviews.reply(accepted(service.app.shops.act_for(SITE)), review.review_id, NewReply(text="Thanks"))
    )
    service.clock.advance(timedelta(seconds=1))


def contents(service: Service) -> object:
    """Return all that forms of the dashboard change."""
    shops = [accepted(service.app.shops.show(site)) for site in (SITE, OTHER)]
    members = [[(each.email, each.role) for each in accepted(service.app.members.list(site))] for site in (SITE, OTHER)]
    orders = accepted(service.app.invitations.list(OPERATOR, InvitationQuery())).invitations
    keys, domains = service.app.api_keys, service.app.domains
    own = [(accepted(keys.list(site)), accepted(domains.list(site))) for site in (SITE, OTHER)]
    return shops, members, orders, own, service.app.reviews.list(ReviewQuery())


def declared_filters(service: Service) -> Mapping[tuple[str, str], set[str]]:
    """Return every method and address of the dashboard with the query parameters that its handler declares."""
    return {
        (method, route.path): {
            each.field_alias
            for each in handler.create_kwargs_model(path_parameters=route.path_parameters).expected_query_params
        }
        for route in create_app(service.app).routes
        if route.path.startswith("/dashboard") and isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        for method in handler.http_methods
        if method not in ("HEAD", "OPTIONS")
    }


def test_every_address_is_known(house: House) -> None:
    assert set(declared_filters(house.service)) == set(ROUTES)


def test_no_shop_can_have_the_address_of_another_page(house: House) -> None:
    pages = {path.split("/")[2] for _, path in ROUTES if path.count("/") > 1} - {"{site_id:str}"}
    assert pages == TAKEN_SITE_IDS
    for page in pages:
        assert house.service.app.shops.add(NewShop(site_id=page, name="Taken")) == ShopExists(page)


FOREIGN: list[dict[str, str]] = [
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
    {"Sec_Fetch_Site": "none"},
    {"Sec_Fetch_Site": "cross-site", "Origin": ORIGIN},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1"},
    {"Origin": "https://127.0.0.1:8000"},
    {"Referer": f"{ORIGIN}/dashboard"},
    {},
]


@pytest.mark.parametrize("path", POSTS)
def test_a_form_of_another_site_changes_nothing(house: House, path: str) -> None:
    before = contents(house.service)
    fields = "&".join(f"{name}={value}" for name, value in ROUTES[POST, path].fields.items())
    body = f"csrf_token={house.owner.token}&{fields}".encode()
    for headers in FOREIGN:
        answer = house.owner.request("POST", house.path(path), body, Content_Type=FORM, **headers)
        assert answer.status == 403, headers
        assert "Set-Cookie" not in answer.headers
        assert "kwam niet uit het dashboard" in words(answer)
        assert b"<form" not in answer.body
        assert contents(house.service) == before, headers
    assert house.owner.get("/dashboard/sessions").status == 200


@pytest.mark.parametrize("path", SIGNED_IN_POSTS)
def test_a_form_without_the_sessions_token_changes_nothing(house: House, path: str) -> None:
    before = contents(house.service)
    for token in ("", "0" * 64, house.stranger.token, None):
        fields = {**ROUTES[POST, path].fields, **({} if token is None else {"csrf_token": token})}
        body = "&".join(f"{name}={value}" for name, value in fields.items()).encode()
        answer = house.owner.request("POST", house.path(path), body, Content_Type=FORM, **OWN)
        assert answer.status == 403, token
        assert contents(house.service) == before, token
    assert house.owner.get("/dashboard/sessions").status == 200


def test_an_old_browsers_form_is_known_by_its_origin(house: House) -> None:
    house.owner.get(f"/dashboard/{SITE}/members")
    fields = f"csrf_token={house.owner.token}&email=old-browser%40example.com&role=staff".encode()
    path = f"/dashboard/{SITE}/members"
    assert house.owner.request("POST", path, fields, Content_Type=FORM, Origin=ORIGIN).status == 303


@pytest.mark.parametrize("route", OF_SHOPS, ids=" ".join)
def test_another_shops_address_is_as_unknown_as_one_that_is_not(house: House, route: tuple[str, str]) -> None:
    """Differential: only the shop's id in the answer may differ."""
    before = contents(house.service)
    house.owner.get("/dashboard/sessions")
    theirs, nobodys = (house.send(house.owner, route, site) for site in (OTHER, "no-such-shop"))
    assert (theirs.status, nobodys.status) == (404, 404)
    assert theirs.body.replace(OTHER.encode(), b"") == nobodys.body.replace(b"no-such-shop", b"")
    assert contents(house.service) == before


@pytest.mark.parametrize("route", [each for each in OF_SHOPS if each[1].count("{") > 1], ids=" ".join)
def test_another_shops_ids_are_as_unknown_at_ones_own_as_ids_of_nothing(house: House, route: tuple[str, str]) -> None:
    before = contents(house.service)
    house.owner.get("/dashboard/sessions")
    nothing = attrs.evolve(house, ids=dict.fromkeys(house.ids, "nothing"))
    theirs, nobodys = house.send(house.owner, route), nothing.send(house.owner, route)
    assert (theirs.status, nobodys.status) == (404, 404)
    own = next(value for name, value in house.ids.items() if f"{{{name}:str}}" in route[1])
    assert theirs.body.replace(own.encode(), b"nothing") == nobodys.body
    assert contents(house.service) == before


@pytest.mark.parametrize("name", ["before", "after", "order"])
@pytest.mark.parametrize("path", LISTS)
def test_another_shops_place_or_number_is_as_unknown_as_one_of_nothing(house: House, path: str, name: str) -> None:
    """Differential. A cursor is a place in time: it may be anybody's, and leads to nothing that is not one's own."""
    theirs = house.places[name if name == "order" else path.rpartition("/")[2].removesuffix(".csv")]
    nobodys = theirs[:-1] + ("1" if theirs[-1] == "0" else "0")  # the same instant, and an id of nothing
    house.owner.get("/dashboard/sessions")
    shown, expected = (house.owner.get(f"{house.path(path)}?{name}={each}") for each in (theirs, nobodys))
    assert (shown.status, expected.status) == (200, 200)
    assert shown.body.replace(theirs.encode(), nobodys.encode()) == expected.body
    for word in (*house.places.values(), "stranger@example.com", "The other"):
        assert word.encode() not in shown.body.replace(theirs.encode(), b"")
    if name in declared_filters(house.service)[GET, path]:
        own = [each.encode() in shown.body for each in OWN_ORDERS]
        assert own == ([False, False] if name == "order" else [True, False]), own


@pytest.mark.parametrize("route", OF_SHOPS, ids=" ".join)
def test_nobody_gets_in_without_a_session(house: House, route: tuple[str, str]) -> None:
    """What was typed stays on the page, beside a way to sign in."""
    answer = house.send(Visitor(house.service), route)
    fields = OF_SHOPS[route].fields
    if TYPED.isdisjoint(fields):
        assert where(answer).startswith("/dashboard/sign-in?next=%2Fdashboard")
        return
    assert answer.status == 403
    assert "Uw sessie is verlopen" in words(answer)
    assert b"/dashboard/sign-in?next=" in answer.body
    for value in fields.values():
        assert value.encode() in answer.body


@pytest.mark.parametrize("route", OF_SHOPS, ids=" ".join)
def test_staff_get_only_what_is_for_them(house: House, route: tuple[str, str]) -> None:
    before = contents(house.service)
    house.staff.get("/dashboard/sessions")
    answer = house.send(house.staff, route)
    if OF_SHOPS[route].who is For.STAFF:
        assert answer.status != 403
        return
    assert answer.status == 403
    assert "Dit kan alleen een eigenaar" in words(answer)
    assert b'href="/dashboard/"' in answer.body
    assert contents(house.service) == before


@pytest.mark.parametrize(
    "route", [route for route, entry in OF_SHOPS.items() if entry.who is For.RECENT_OWNER], ids=" ".join
)
def test_what_needs_a_recent_sign_in_asks_for_one_and_keeps_what_was_typed(
    house: House, route: tuple[str, str]
) -> None:
    before = contents(house.service)
    house.service.clock.advance(timedelta(minutes=61))
    house.owner.get("/dashboard/sessions")
    answer = house.send(house.owner, route)
    house.service.clock.advance(timedelta(minutes=-61))
    assert answer.status == 403
    assert "Log opnieuw in" in words(answer)
    assert b"/dashboard/sign-in?next=" in answer.body
    for value in OF_SHOPS[route].fields.values():
        assert value.encode() in answer.body
    assert contents(house.service) == before


@pytest.mark.parametrize("path", [path for method, path in ROUTES if method == GET])
def test_head_is_answered_as_get_is(house: House, path: str) -> None:
    for visitor in (house.stranger, Visitor(house.service)):
        got, head = visitor.get(house.path(path, OTHER)), visitor.request("HEAD", house.path(path, OTHER))
        assert (head.status, head.body) == (got.status, b"")
        assert head.headers["Content-Type"] == got.headers["Content-Type"]


@pytest.mark.parametrize(
    "route", [each for each, entry in ROUTES.items() if entry.who is not For.EVERYBODY], ids=" ".join
)
def test_storage_that_is_away_is_said_on_every_page_and_keeps_what_was_typed(
    house: House, storage: AbsentStorage, route: tuple[str, str]
) -> None:
    before = contents(house.service)
    house.owner.get("/dashboard/sessions")
    storage.away = True
    try:
        answer = house.send(house.owner, route)
    finally:
        storage.away = False
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert "Er is niets opgeslagen" in words(answer)
    for value in ROUTES[route].fields.values():
        assert value in words(answer)
    assert contents(house.service) == before


ODD = {
    "10,000 digits": "9" * 10_000,
    "10,000 characters": "x" * 10_000,
    "markup": "<script>alert(1)</script>'\"{{ 7 * 7 }}",
    "right to left": "\u202e\u05d0\u2066",
    "control characters": "\x00\x1b\x7f",
    "no character": "%ED%A0%80",
    "a negative number": "-1",
    "a fraction": "1e309",
    "a digit elsewhere": "\u0663",
    "an emoji": "\U0001f381",
}
UNDECLARED = {"language", "done", "next"}
"""Parameters of addresses that are read from the request itself; handlers declare all others."""
FORM_FIELDS = (
    "version",
    "csrf_token",
    "text",
    "email",
    "role",
    "session_id",
    "name",
    "reply_to",
    "host",
    "label",
    "next",
)


def encoded(fields: Mapping[str, str]) -> str:
    """Encode fields as a form does, except that bytes which are no character stay those bytes."""
    return urlencode(fields).replace("%25ED%25A0%2580", "%ED%A0%80")


@pytest.mark.parametrize(
    "kind", others_in_full(ODD, "10,000 digits", "markup", "control characters", "no character", "a negative number")
)
def test_no_value_is_too_odd_to_be_answered(house: House, kind: str) -> None:
    """Each filter, each field and each part of an address; nothing is a fault, and nothing becomes markup."""
    odd = ODD[kind]
    filters = declared_filters(house.service)
    assert set().union(*filters.values()) >= {"before", "after", "order", "ground"}
    with captured_logs() as logged:
        for method, path in ROUTES:
            if path == "/dashboard/sign-out":
                continue  # it has no field but the token, and would end the session
            house.owner.get("/dashboard/sessions")
            strange = re.sub(r"{\w+:str}", quote(odd[:100], safe=""), path.replace("{site_id:str}", SITE))
            if method == GET:
                # one filter at a time: the first that is refused would hide the others
                asked = [encoded({each: odd[:1_000]}) for each in sorted(filters[method, path] | UNDECLARED)]
                pages_asked = [strange, house.path(path), *(f"{house.path(path)}?{each}" for each in asked)]
                answers = [house.owner.get(each) for each in pages_asked]
            else:
                given = dict.fromkeys((*FORM_FIELDS, *ROUTES[method, path].fields), odd)
                body = encoded({**given, "csrf_token": house.owner.token})
                answers = [house.owner.request(POST, house.path(path), body.encode(), Content_Type=FORM, **OWN)]
            assert all(answer.status < 500 for answer in answers), (method, path, [each.status for each in answers])
            pages = [answer.body for answer in answers if answer.headers["Content-Type"].startswith("text/html")]
            assert not [page for page in pages if b"<script>alert" in page], (method, path)
    assert logged == []
    assert house.owner.get(f"/dashboard/{SITE}/settings").status == 200
