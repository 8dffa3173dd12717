"""What the client makes of answers: exact in types, tolerant of what a later service adds, and of nothing else."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.http.clients import KINDS, a_client
from tests.http.faulty_proxy import FaultyProxy, answer, faulty_proxy

from reviewinvite_http.client import (
    ApiError,
    Conflict,
    Flaw,
    Forbidden,
    GaveUp,
    InvalidRequest,
    InvitationPage,
    InvitationRecord,
    LimitReached,
    MalformedAnswer,
    NotFound,
    RefusedStatement,
    ReportedOrder,
    Retries,
    Review,
    ReviewPage,
    ReviewState,
    ServiceFault,
    Shop,
    State,
    TimedOut,
    Unauthorized,
    calls,
)
from reviewinvite_http.client.calls import read
from reviewinvite_http.client.errors import read_error
from reviewinvite_http.client.transport import LARGEST_ANSWER

INSTANT = "2026-03-08T18:20:11.004Z"
REVIEW: dict[str, Any] = {
    "reviewId": "019cb0a7-5e21-7d44-9f0b-6a1c83e5d702",
    "inviteId": "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
    "orderNumber": None,
    "source": "snippet",
    "confirmed": False,
    "state": "published",
    "hiddenFor": None,
    "rating": 5,
    "text": "Snel geleverd.",
    "author": None,
    "language": "nl",
    "writtenAt": INSTANT,
    "editedAt": None,
    "changedAt": INSTANT,
    "reply": {"text": "Dank u wel!", "repliedAt": INSTANT},
}
INVITATION: dict[str, Any] = {
    "inviteId": "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
    "orderNumber": "1001",
    "source": "api",
    "confirmed": True,
    "language": "nl",
    "state": "scheduled",
    "reason": "reported",
    "reportedAt": INSTANT,
    "scheduledFor": INSTANT,
    "changedAt": INSTANT,
    "history": [{"state": "scheduled", "reason": "reported", "at": INSTANT, "reply": None}],
}


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


def test_a_review_is_read_with_instants_and_states() -> None:
    review = read(Review, encoded(REVIEW))
    assert review.state is ReviewState.PUBLISHED
    assert review.written_at == datetime(2026, 3, 8, 18, 20, 11, 4000, tzinfo=UTC)
    assert review.reply is not None
    assert review.reply.text == "Dank u wel!"


def test_an_offset_is_read_as_utc() -> None:
    reported = read(ReportedOrder, encoded({"inviteId": "1", "scheduledFor": "2026-03-08T01:00:00+02:00"}))
    assert reported.scheduled_for.isoformat() == "2026-03-07T23:00:00+00:00"


def test_fields_that_a_later_service_adds_are_ignored() -> None:
    later = {**REVIEW, "photos": [1], "reply": {**REVIEW["reply"], "by": "shop"}}
    assert read(Review, encoded(later)) == read(Review, encoded(REVIEW))
    page = {"reviews": [later], "cursor": "1-2", "more": True, "total": 3}
    assert read(ReviewPage, encoded(page)).next == "1-2"
    error = read_error(422, encoded({"error": "E", "code": "c", "type": "about:blank", "requestId": "r"}), None)
    assert (error.code, error.request_id, error.errors) == ("c", "r", ())


def test_what_services_of_earlier_releases_leave_out_has_a_default() -> None:
    assert read(InvitationPage, encoded({"invitations": [], "cursor": "1"})).more
    assert not read(InvitationPage, encoded({"invitations": [], "cursor": None})).more
    shop = {"siteId": "molen", "name": "Molen", "active": True, "language": "nl", "delayDays": 5}
    assert read(Shop, encoded({**shop, "frequencyDays": 0, "trustMark": "absent"})).snippet == "open"


def test_states_and_reasons_that_a_later_service_adds_stay_texts() -> None:
    record = read(
        InvitationRecord, encoded({**INVITATION, "state": "bounced", "source": "till", "reason": "recently_invited"})
    )
    assert (record.state, record.source, record.reason) == ("bounced", "till", "recently_invited")
    assert not isinstance(record.state, State)
    assert record.history[0].state is State.SCHEDULED
    hidden = read(Review, encoded({**REVIEW, "state": "reported", "hiddenFor": "appeal"}))
    assert (hidden.state, hidden.hidden_for) == ("reported", "appeal")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reviewId", 1),
        ("reviewId", None),
        ("orderNumber", 1),
        ("rating", "5"),
        ("rating", 5.0),
        ("rating", True),
        ("state", None),
        ("writtenAt", "yesterday"),
        ("writtenAt", "2026-03-08T18:20:11"),
        ("writtenAt", 0),
        ("reply", "Dank u wel!"),
        ("reply", []),
    ],
)
def test_a_value_of_another_type_is_malformed(name: str, value: object) -> None:
    with pytest.raises(MalformedAnswer, match="not a valid Review"):
        read(Review, encoded({**REVIEW, name: value}))


@pytest.mark.parametrize("name", REVIEW)
def test_a_field_that_is_missing_is_malformed(name: str) -> None:
    with pytest.raises(MalformedAnswer):
        read(Review, encoded({given: value for given, value in REVIEW.items() if given != name}))


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"{", b"\xff", b'"text"', b"1", b"[" * 100_000, b"<html>", b'{"reviews": {}}']
)
@pytest.mark.parametrize("cls", [ReportedOrder, Review, ReviewPage, InvitationPage, InvitationRecord])
def test_a_body_that_is_something_else_is_malformed(cls: type, body: bytes) -> None:
    with pytest.raises(MalformedAnswer):
        read(cls, body)
    assert read_error(502, body, None).code is None


@given(st.binary() | st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner)).map(encoded))
def test_no_body_is_read_as_anything_but_a_value_or_malformed(body: bytes) -> None:
    with pytest.raises(MalformedAnswer):
        read(ReviewPage, body)
    assert isinstance(read_error(500, body, None), ServiceFault)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((401, Unauthorized), (403, Forbidden), (404, NotFound), (409, Conflict), (422, InvalidRequest)),
        *((429, LimitReached), (500, ServiceFault), (503, ServiceFault), (504, ServiceFault), (418, ApiError)),
    ],
)
def test_each_status_has_its_class(status: int, kind: type) -> None:
    assert type(read_error(status, b"{}", 3)) is kind
    assert read_error(status, b"{}", 3).retry_after == 3


def test_errors_pass_from_process_to_process() -> None:
    """A queue of jobs pickles what a job has raised."""
    said = {"error": "Fout.", "code": "invalid_address", "field": "email", "requestId": "r"}
    error = read_error(422, encoded(said), 3)
    error.gave_up, error.attempts = GaveUp.TIME, 2
    for raised in (error, RefusedStatement(Flaw.EXPIRED), TimedOut("no complete answer in time")):
        again = pickle.loads(pickle.dumps(raised))  # noqa: S301 - our own
        assert (type(again), str(again), vars(again)) == (type(raised), str(raised), vars(raised))


@pytest.fixture
def proxy() -> Iterator[FaultyProxy]:
    with faulty_proxy() as proxy:
        yield proxy


Ask = Callable[[Any], object]
CALLS: list[Ask] = [
    lambda client: client.report_order("anna@example.com"),
    lambda client: client.list_reviews(),
    lambda client: client.review_pages(),
    lambda client: client.reply("1", "Dank u"),
    lambda client: client.list_invitations(),
    lambda client: client.get_invitation("1"),
    lambda client: client.cancel_invitation("1"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ask", CALLS)
def test_what_answers_in_the_place_of_the_service_is_malformed_and_not_asked_again(
    proxy: FaultyProxy, kind: str, ask: Ask
) -> None:
    proxy.faults = [answer(200, b"<html>Log in to the network</html>")]
    with a_client(kind, proxy.address, "key") as client, pytest.raises(MalformedAnswer) as raised:
        ask(client)
    assert (len(proxy.received), raised.value.attempts, raised.value.gave_up) == (1, 1, None)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_without_an_end_is_malformed_before_it_fills_the_memory(proxy: FaultyProxy, kind: str) -> None:
    proxy.faults = [answer(200, b" " * (LARGEST_ANSWER + 1))]
    with a_client(kind, proxy.address, "key") as client, pytest.raises(MalformedAnswer, match="larger than") as raised:
        client.list_reviews()
    assert (len(proxy.received), raised.value.attempts) == (1, 1)


def test_the_next_page_is_asked_for_by_its_cursor_alone() -> None:
    since = datetime(2026, 3, 1, tzinfo=UTC)
    first = calls.list_reviews(cursor=None, since=since, limit=7, rating=None, state=None)
    assert first.query == {"since": "2026-03-01T00:00:00+00:00", "limit": "7"}
    following = calls.next_page(first, ReviewPage(reviews=(), cursor="1-2", more=True))
    assert following is not None
    assert following.query == {"cursor": "1-2", "limit": "7"}
    assert calls.next_page(following, ReviewPage(reviews=(), cursor="1-3", more=False)) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_that_leads_to_itself_is_malformed(proxy: FaultyProxy, kind: str) -> None:
    page = answer(200, encoded({"reviews": [], "cursor": "1-2", "more": True}))
    proxy.faults = [page] * 3
    with (
        a_client(kind, proxy.address, "key", retries=Retries(attempts=1)) as client,
        pytest.raises(MalformedAnswer, match="itself"),
    ):
        client.review_pages()
    assert [request.path for request in proxy.received] == ["/v1/reviews?limit=100", "/v1/reviews?limit=100&cursor=1-2"]
