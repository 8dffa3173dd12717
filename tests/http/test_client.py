"""The client of the merchant API, sync and async, against the service: every call, and what it raises. Spec: §4, §7."""

from __future__ import annotations

import inspect
import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone

import attrs
import httpx
import pytest
from tests.http.clients import KINDS, Blocking, a_client, deactivate, hide, with_shop
from tests.http.faulty_proxy import answer, faulty_proxy
from tests.http.merchant import UNKNOWN, a_review, an_invitation
from tests.http.service import Service, http_request

from reviewinvite_http import client as package
from reviewinvite_http.client import (
    AsyncClient,
    Badge,
    Client,
    Conflict,
    FieldError,
    Forbidden,
    HideReason,
    InvalidRequest,
    NotFound,
    Reason,
    ReviewState,
    Size,
    State,
    Theme,
    TrustMark,
    Unauthorized,
    VerificationStatus,
)

NUMBERS = iter(range(1_000_000))


@pytest.fixture
def site() -> str:
    """The name of a shop of this test's own."""
    return f"client-{next(NUMBERS)}"


@pytest.fixture(params=KINDS)
def client(request: pytest.FixtureRequest, service: Service, site: str) -> Iterator[Blocking]:
    """A client of each kind, with a key of that shop."""
    with a_client(request.param, service.address, with_shop(service, site)) as client:
        yield client


def test_a_new_order_and_its_repeat(client: Blocking) -> None:
    first = client.report_order("client@example.com", order_number="1", language="en", delay_days=0.5)
    again = client.report_order("client@example.com", order_number="1")
    assert (first.duplicate, again.duplicate) == (False, True)
    assert first.invite_id == again.invite_id
    assert first.scheduled_for == again.scheduled_for == datetime(2026, 3, 3, 0, 0, 0, 120_000, tzinfo=UTC)
    assert client.get_invitation(first.invite_id).language == "en"


def test_reviews_are_read_from_page_to_page_and_from_a_cursor_on(client: Blocking, service: Service, site: str) -> None:
    written = [a_review(service.app, site, str(number), text="Lekker", author="Anna") for number in range(5)]
    pages = client.review_pages(limit=2)
    assert sorted(review.review_id for page in pages for review in page.reviews) == sorted(written)
    assert [len(page.reviews) for page in pages] == [2, 2, 1]
    assert client.list_reviews(cursor=pages[-1].cursor).reviews == ()
    service.clock.advance(timedelta(seconds=1))
    hide(service, written[0])
    (changed,) = client.list_reviews(cursor=pages[-1].cursor, limit=7).reviews
    assert (changed.review_id, changed.state, changed.hidden_for) == (written[0], ReviewState.HIDDEN, HideReason.INSULT)
    assert (changed.text, changed.author, changed.rating, changed.reply) == (None, None, 5, None)


def test_reviews_since_an_instant_in_any_time_zone(client: Blocking, service: Service, site: str) -> None:
    a_review(service.app, site, "1")
    service.clock.advance(timedelta(minutes=1))
    later = a_review(service.app, site, "2")
    since = service.clock.now().astimezone(timezone(timedelta(hours=2)))
    assert [review.review_id for review in client.list_reviews(since=since).reviews] == [later]
    assert [len(page.reviews) for page in client.review_pages(since=since - timedelta(minutes=2), limit=1)] == [1, 1]


def test_a_reply_is_set_and_removed(client: Blocking, service: Service, site: str) -> None:
    review_id = a_review(service.app, site, "1")
    replied = client.reply(review_id, "Dank u wel!").reply
    assert (replied.text, replied.replied_at.tzinfo) == ("Dank u wel!", UTC)
    assert client.reply(review_id, "").reply is None
    hide(service, review_id)
    with pytest.raises(Conflict, match="409 review_stands"):
        client.reply(review_id, "Dank u wel!")


def test_invitations_are_listed_shown_and_cancelled(client: Blocking, service: Service, site: str) -> None:
    made = [an_invitation(service.app, site, f"N {number % 2}&", email=f"c{number}@example.com") for number in range(5)]
    pages = client.invitation_pages(limit=2)
    assert {one.invite_id for page in pages for one in page.invitations} == set(made)
    assert [len(page.invitations) for page in pages] == [2, 2, 1]
    odd = client.invitation_pages(order_number="N 1&", limit=1)
    assert {one.invite_id for page in odd for one in page.invitations} == {made[1], made[3]}
    assert client.list_invitations(order_number="nobody's").invitations == ()
    cancelled = client.cancel_invitation(made[0])
    assert (cancelled.state, cancelled.reason) == (State.CANCELLED, Reason.CANCELLED)
    assert client.cancel_invitation(made[0]) == cancelled == client.get_invitation(made[0])
    assert [change.state for change in cancelled.history] == [State.SCHEDULED, State.CANCELLED]
    assert [one.invite_id for one in client.list_invitations(state=State.CANCELLED).invitations] == [made[0]]
    waiting = client.invitation_pages(state="scheduled", order_number="N 0&", limit=1)
    assert {one.invite_id for page in waiting for one in page.invitations} == {made[2], made[4]}


def test_reviews_are_read_by_rating_and_state_and_one_by_one(client: Blocking, service: Service, site: str) -> None:
    good, bad = (a_review(service.app, site, str(rating), rating, text="x") for rating in (5, 1))
    hide(service, bad)
    assert [review.review_id for review in client.list_reviews(rating=5).reviews] == [good]
    pages = client.review_pages(state=ReviewState.HIDDEN, limit=1)
    assert [review.review_id for page in pages for review in page.reviews] == [bad]
    assert [client.get_review(each) for each in (good, bad)] == [
        *client.list_reviews(rating=5).reviews,
        *client.list_reviews(state="hidden").reviews,
    ]
    with pytest.raises(NotFound, match="404 review_unknown"):
        client.get_review(UNKNOWN)


def test_the_shop_and_its_badge_are_read_and_changed(client: Blocking, site: str) -> None:
    before = client.get_shop()
    assert (before.site_id, before.delay_days, before.trust_mark) == (site, 5, TrustMark.ABSENT)
    changed = client.update_shop(delay_days=0.5, frequency_days=7)
    assert changed == attrs.evolve(before, delay_days=0.5, frequency_days=7) == client.get_shop()
    assert client.get_badge() == Badge(theme=Theme.AUTO, size=Size.MEDIUM)
    dark = client.set_badge(theme="dark", size=Size.LARGE, language="en")
    assert dark == Badge(theme=Theme.DARK, size=Size.LARGE, language="en") == client.get_badge()
    with pytest.raises(InvalidRequest, match="422 unknown_theme"):
        client.set_badge(theme="blue", size="small")


def test_domains_are_added_listed_and_checked(client: Blocking) -> None:
    added = client.add_domain("client.invalid.example")
    assert (added.host, added.standing, added.verified) == (
        "client.invalid.example",
        VerificationStatus.UNPROVED,
        False,
    )
    assert client.list_domains() == (added,)
    checked = client.check_domain("client.invalid.example")
    assert (checked.proof, checked.found, len(checked.absences)) == (added.proof, None, 2)
    with pytest.raises(NotFound, match="404 domain_unknown"):
        client.check_domain("no host?")


def test_an_invalid_order_raises_all_that_is_wrong_with_it(client: Blocking) -> None:
    with pytest.raises(InvalidRequest) as raised:
        client.report_order("nobody", delay_days=99)
    error = raised.value
    assert (error.status, error.code, error.field, error.retry_after) == (422, "invalid_address", "email", None)
    assert [(one.field, one.code) for one in error.errors] == [
        ("email", "invalid_address"),
        ("delayDays", "out_of_range"),
    ]
    assert isinstance(error.errors[0], FieldError)
    assert error.error is not None
    assert "e-mailadres" in error.error
    assert error.request_id is not None
    assert str(error) == (
        "HTTP 422 invalid_address (email): The field 'email' is not a valid e-mail address."
        f" [request {error.request_id}]"
    )
    assert (error.attempts, error.gave_up) == (1, None)


def test_what_there_is_not_is_not_found(client: Blocking) -> None:
    for call in (client.get_invitation, client.cancel_invitation):
        with pytest.raises(NotFound, match="invitation_unknown"):
            call(UNKNOWN)
    with pytest.raises(NotFound, match="review_unknown"):
        client.reply(UNKNOWN, "Dank u!")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("key", "code"), [(None, "key_missing"), ("rvi_wrong", "key_invalid")])
def test_without_a_good_key_a_call_is_unauthorized(service: Service, kind: str, key: str | None, code: str) -> None:
    with a_client(kind, service.address, key) as client, pytest.raises(Unauthorized) as raised:
        client.list_reviews()
    assert raised.value.code == code


def test_a_shop_that_is_not_active_may_read_and_not_report(client: Blocking, service: Service, site: str) -> None:
    deactivate(service, site)
    assert client.list_reviews().reviews == ()
    with pytest.raises(Forbidden, match="shop_inactive"):
        client.report_order("anna@example.com")


def test_a_client_behind_a_path_and_with_httpx_of_ones_own() -> None:
    created = answer(201, b'{"inviteId": "1", "scheduledFor": "2026-03-03T00:00:00.120Z"}')
    with faulty_proxy() as proxy, httpx.Client() as http:
        proxy.faults = [created]
        with Client(f"{proxy.address}/behind/a/path/", "rvi_key", http=http) as client:
            client.report_order("anna@example.com", delay_days=0)
        assert not http.is_closed
    (request,) = proxy.received
    assert (request.method, request.path) == ("POST", "/behind/a/path/v1/orders")
    assert json.loads(request.body) == {"email": "anna@example.com", "delayDays": 0}
    assert request.headers["Authorization"] == "Bearer rvi_key"
    assert request.headers["User-Agent"].startswith("reviewinvite-client/")


@pytest.mark.parametrize("address", ["reviews.example.nl", "ftp://reviews.example.nl", "https://", "http://x/?a=1", ""])
def test_an_address_that_cannot_be_one_is_a_value_error(address: str) -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(ValueError, match="base_url"):
            kind(address)


@pytest.mark.parametrize("key", ["", "rvi_key\n", "rvi key", "sleutelé"])
def test_a_key_that_cannot_be_one_is_a_value_error_that_does_not_show_it(key: str) -> None:
    with pytest.raises(ValueError, match="api_key") as raised:
        Client("https://reviews.example.nl", key)
    assert not key.strip() or key not in str(raised.value)


@pytest.mark.parametrize("wrong", ["..", "a/b", "", "a?b", "a" * 65])
def test_an_id_that_would_be_another_path_is_a_value_error(client: Blocking, wrong: str) -> None:
    for call in (client.get_invitation, client.cancel_invitation, client.verify):
        with pytest.raises(ValueError, match="an id must be"):
            call(wrong)


def test_what_json_and_the_api_cannot_say_is_a_value_error(client: Blocking) -> None:
    with pytest.raises(ValueError, match="JSON"):
        client.report_order("anna@example.com", delay_days=float("nan"))
    with pytest.raises(ValueError, match="time zone"):
        client.list_reviews(since=datetime(2026, 3, 1))  # noqa: DTZ001 - the time zone is what is missing


def test_a_client_does_not_show_its_key() -> None:
    for kind in (Client, AsyncClient):
        client = kind("http://localhost", "rvi_secret")
        assert repr(client) == f"{kind.__name__}('http://localhost')"
        assert "rvi_secret" not in repr(vars(client)["_service"])


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type) -> dict[str, list[str]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {name: list(inspect.signature(each).parameters) for name, each in found if not name.startswith("_")}

    assert methods(Client) == {"close" if name == "aclose" else name: p for name, p in methods(AsyncClient).items()}
    for name in methods(Client).keys() - {"close"}:
        ours, theirs = getattr(Client, name), getattr(AsyncClient, name)
        assert theirs.__doc__ == ours.__doc__
        assert theirs.__qualname__ == f"AsyncClient.{name}"  # of this the warning about a forgotten `await` speaks
        assert name.endswith("_pages") or inspect.iscoroutinefunction(theirs)


def test_every_endpoint_of_the_merchant_api_has_a_method(service: Service) -> None:
    described = http_request(service.address, "GET", "/v1/openapi.json").json["paths"]
    operations = {operation["operationId"] for path in described.values() for operation in path.values()}
    others = {"reportOrderFromBrowser", "health", "readiness"}
    assert operations - others == {
        *("reportOrder", "listReviews", "showReview", "replyToReview"),
        *("showShop", "updateShop", "showBadge", "setBadge", "listDomains", "addDomain", "checkDomain"),
        *("listInvitations", "showInvitation", "cancelInvitation", "verify", "publicKeys"),
    }


def test_what_is_public_is_named_and_described() -> None:
    for name in package.__all__:
        assert inspect.getdoc(getattr(package, name))


RunPython = Callable[..., "subprocess.CompletedProcess[str]"]


def test_importing_the_client_imports_no_server(run_python: RunPython) -> None:
    program = (
        "import sys\n"
        "import reviewinvite_http.client\n"
        "packages = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(packages & {'litestar', 'uvicorn', 'uvloop', 'structlog', 'jinja2', 'sqlite_utils', 'typer'}))\n"
        "ours = [name for name in sys.modules if name.startswith('reviewinvite_http.')]\n"
        "print([name for name in ours if not name.startswith('reviewinvite_http.client')])\n"
    )
    ended = run_python(program)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "[]\n[]\n", "")


def test_without_httpx_the_client_says_what_to_install(run_python: RunPython) -> None:
    program = (
        "import importlib.util, sys\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'httpx' else found(name, *more)\n"
        "import reviewinvite_http.client\n"
    )
    ended = run_python(program)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: the client needs httpx: install reviewinvite[client]"
    )
