"""What a shop reads and does with its API key: reviews, replies, invitations, cancellations. Spec: §4.6 to §4.11."""

from __future__ import annotations

import json
import zlib
from datetime import timedelta

import pytest
from tests.http.merchant import BODY, GETS, POSTS, UNKNOWN, a_review, an_invitation, request_as, write
from tests.http.service import SITE, Service, http_request

from reviewinvite_core import OPERATOR, MerchantReviewQuery, Settings, accepted, build
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.timing import EPOCH, cut_to_millisecond, iso_milliseconds
from reviewinvite_core.testing.builders import ManualClock, a_shop
from reviewinvite_core.values import Act, HideReason, LimitReached


@pytest.fixture
def site(service: Service, request: pytest.FixtureRequest) -> str:
    """A shop of this test's own."""
    site = f"shop-{zlib.crc32(request.node.name.encode())}"
    service.app.shops.add(a_shop(site))
    return site


@pytest.fixture
def own(service: Service, site: str) -> str:
    """That shop's key."""
    return service.a_key(site)


def test_a_review_is_told_with_all_that_belongs_to_it(service: Service, site: str, own: str) -> None:
    invite_id = an_invitation(service.app, site, "1001")
    written = service.clock.now()
    review_id = write(service.app, invite_id, 4, text="Snel\ngeleverd", author="Anna", language="en")
    answer = request_as(service.address, own, "GET", "/v1/reviews")
    assert answer.status == 200
    assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == ("application/json", "no-store")
    assert answer.json == {
        "reviews": [
            {
                "reviewId": review_id,
                "inviteId": invite_id,
                "orderNumber": "1001",
                "source": "api",
                "confirmed": True,
                "state": "published",
                "hiddenFor": None,
                "rating": 4,
                "text": "Snel\ngeleverd",
                "author": "Anna",
                "language": "en",
                "writtenAt": iso_milliseconds(written),
                "editedAt": None,
                "changedAt": iso_milliseconds(written),
                "reply": None,
            }
        ],
        "cursor": Bookmark(written, review_id).text,
        "more": False,
    }


def test_of_a_hidden_review_state_and_reason_are_told_and_neither_text_nor_name(
    service: Service, site: str, own: str
) -> None:
    review_id = a_review(service.app, site, "1", 1, text="Een scheldwoord", author="Bert Scheld")
    service.app.reviews.hide(review_id, HideReason.INSULT)
    answer = request_as(service.address, own, "GET", "/v1/reviews")
    (told,) = answer.json["reviews"]
    assert (told["state"], told["hiddenFor"], told["rating"]) == ("hidden", "insult", 1)
    assert (told["text"], told["author"]) == (None, None)
    assert b"scheld" not in answer.body.lower()


def test_since_is_where_the_first_page_begins(service: Service, site: str, own: str) -> None:
    a_review(service.app, site, "old")
    service.clock.advance(timedelta(days=1))
    new = a_review(service.app, site, "new")
    now = service.clock.now()

    def since(text: str) -> list[str]:
        page = request_as(service.address, own, "GET", "/v1/reviews", since=text).json
        return [each["orderNumber"] for each in page["reviews"]]

    assert since(iso_milliseconds(now)) == ["new"]
    assert since((now + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%S.%f+02:00")) == ["new"]
    assert since(iso_milliseconds(now + timedelta(milliseconds=1))) == []
    assert since((now - timedelta(days=2)).date().isoformat()) == ["old", "new"]
    empty = request_as(service.address, own, "GET", "/v1/reviews", since=iso_milliseconds(now + timedelta(days=1))).json
    assert (empty["reviews"], empty["more"]) == ([], False)
    service.clock.advance(timedelta(days=2))
    service.app.reviews.hide(new, HideReason.OTHER)
    later = request_as(service.address, own, "GET", "/v1/reviews", cursor=empty["cursor"], since="1999-01-01").json
    assert [each["reviewId"] for each in later["reviews"]] == [new]  # a cursor wins


@pytest.mark.parametrize(
    ("path", "query", "code", "field"),
    [
        ("/v1/reviews", "limit=0", "out_of_range", "limit"),
        ("/v1/reviews", "limit=101", "out_of_range", "limit"),
        ("/v1/reviews", "limit=-1", "malformed", "limit"),
        ("/v1/reviews", "limit=%D9%A3", "malformed", "limit"),
        ("/v1/reviews", "limit=1.0", "malformed", "limit"),
        ("/v1/reviews", "limit=", "malformed", "limit"),
        ("/v1/reviews", "limit=1&limit=2", "duplicate_field", "limit"),
        ("/v1/reviews", "Limit=1", "unknown_field", "Limit"),
        ("/v1/reviews", "email=anna@example.com", "unknown_field", "email"),
        ("/v1/reviews", "cursor=x", "malformed", "cursor"),
        ("/v1/reviews", "cursor=" + "f" * 15 + "-" + "0" * 32, "malformed", "cursor"),
        ("/v1/reviews", "since=yesterday", "malformed", "since"),
        ("/v1/reviews", "since=2026-03-01T10:00:00", "malformed", "since"),
        ("/v1/reviews", "since=2026-03-01T10:00:00 02:00", "malformed", "since"),
        ("/v1/reviews", "since=2026-02-30", "out_of_range", "since"),
        ("/v1/reviews", "since=1969-12-31", "out_of_range", "since"),
        ("/v1/reviews", "since=9999-12-31", "out_of_range", "since"),
        ("/v1/reviews", "since=0001-01-01T00:00:00%2B10:00", "out_of_range", "since"),
        ("/v1/reviews", "since=%ff", "malformed", "query"),
        ("/v1/reviews", "&".join(f"a{n}=1" for n in range(40)), "malformed", "query"),
        ("/v1/invitations", "cursor=" + UNKNOWN, "malformed", "cursor"),
        ("/v1/invitations", "orderNumber=", "empty", "orderNumber"),
        ("/v1/invitations", "orderNumber=" + "1" * 129, "too_long", "orderNumber"),
        ("/v1/invitations", "orderNumber=%E2%80%AE1", "forbidden_characters", "orderNumber"),
        ("/v1/invitations", "since=2026-03-01", "unknown_field", "since"),
        ("/v1/invitations", "state=lost", "malformed", "state"),
        ("/v1/invitations", "state=SENT", "malformed", "state"),
        ("/v1/invitations", "state=", "malformed", "state"),
        ("/v1/invitations", "state=sent&state=scheduled", "duplicate_field", "state"),
    ],
)
def test_a_query_that_cannot_be_is_refused_and_told_where(
    service: Service, key: str, path: str, query: str, code: str, field: str
) -> None:
    answer = request_as(service.address, key, "GET", f"{path}?{query.replace(' ', '+')}")
    assert (answer.status, answer.code, answer.json["field"]) == (422, code, field)


def test_the_furthest_cursor_and_instant_are_answered(service: Service, key: str) -> None:
    furthest = "f" * 14 + "-" + "f" * 32
    assert request_as(service.address, key, "GET", "/v1/reviews", cursor=furthest).json["cursor"] == furthest
    late = request_as(service.address, key, "GET", "/v1/reviews", since="3999-12-31").json["cursor"]
    assert request_as(service.address, key, "GET", "/v1/reviews", cursor=late).status == 200


def test_a_reply_is_told_replaced_and_taken_away(service: Service, site: str, own: str) -> None:
    review_id = a_review(service.app, site, "1", text="Goed")
    path = f"/v1/reviews/{review_id}/reply"
    first = request_as(service.address, own, "POST", path, {"text": " Dank\r\nu! "})
    assert first.status == 200
    assert first.json["reply"] == {"text": "Dank\nu!", "repliedAt": iso_milliseconds(service.clock.now())}
    assert request_as(service.address, own, "GET", "/v1/reviews").json["reviews"] == [first.json]
    service.clock.advance(timedelta(minutes=1))
    assert request_as(service.address, own, "POST", path, {"text": "Dank\nu!"}).json == first.json
    assert (
        request_as(service.address, own, "POST", path, {"text": "Graag gedaan"}).json["reply"]["text"] == "Graag gedaan"
    )
    assert request_as(service.address, own, "POST", path, {"text": ""}).json["reply"] is None
    history = accepted(service.app.reviews.show(OPERATOR, review_id)).history
    assert [change.act for change in history] == [Act.WRITTEN, Act.REPLIED, Act.REPLIED, Act.REPLY_REMOVED]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"[]", "not_an_object"),
        (b"{}", "field_missing"),
        (b'{"text":null}', "wrong_type"),
        (b'{"text":1}', "wrong_type"),
        (b'{"text":"a","rating":5}', "unknown_field"),
        (b'{"text":"a","text":"b"}', "duplicate_field"),
        (json.dumps({"text": "a" * 2001}).encode(), "too_long"),
        (json.dumps({"text": "\x1b[2J"}).encode(), "forbidden_characters"),
        (b'{"text":"\\ud800"}', "forbidden_characters"),
    ],
)
def test_a_reply_that_cannot_be_is_refused(service: Service, key: str, body: bytes, code: str) -> None:
    answer = request_as(service.address, key, "POST", POSTS[0], body)
    assert (answer.status, answer.code) == (422, code)


HOSTILE = [
    "<script>alert(1)</script>",
    '"}],"more":true,"x":"',
    "\u202edrow\u202c \u2066x\u2069",
    "a\u2028b\u2029c",
    "\u0645\u0631\u062d\u0628\u0627",
    "\U0001f600\u200d\U0001f525",
    "=HYPERLINK(1)",
    "\\u0000",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_comes_back_as_it_was_and_is_nothing_but_text(
    service: Service, site: str, own: str, text: str
) -> None:
    review_id = a_review(service.app, site, "1", text=text)
    request_as(service.address, own, "POST", f"/v1/reviews/{review_id}/reply", {"text": text})
    answer = request_as(service.address, own, "GET", "/v1/reviews")
    (told,) = answer.json["reviews"]
    assert (told["text"], told["reply"]["text"]) == (text, text)
    assert list(answer.json) == ["reviews", "cursor", "more"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_an_invitation_is_told_with_its_history_and_no_address(service: Service, site: str, own: str) -> None:
    reported = service.clock.now()
    due = cut_to_millisecond(reported) + timedelta(days=5)
    invite_id = an_invitation(service.app, site, "2026-7", email="bert@example.com", language="en")
    shown = request_as(service.address, own, "GET", f"/v1/invitations/{invite_id}")
    assert shown.status == 200
    expected = {
        "inviteId": invite_id,
        "orderNumber": "2026-7",
        "source": "api",
        "confirmed": True,
        "language": "en",
        "state": "scheduled",
        "reason": "reported",
        "reportedAt": iso_milliseconds(reported),
        "scheduledFor": iso_milliseconds(due),
        "changedAt": iso_milliseconds(reported),
    }
    first = {"state": "scheduled", "reason": "reported", "at": iso_milliseconds(reported), "reply": None}
    assert shown.json == {**expected, "history": [first]}
    listed = request_as(service.address, own, "GET", "/v1/invitations")
    assert listed.json == {"invitations": [expected], "cursor": None, "more": False}
    assert b"bert" not in shown.body + listed.body
    service.app.privacy.erase_address("bert@example.com")
    erased = request_as(service.address, own, "GET", f"/v1/invitations/{invite_id}")
    assert (erased.json["state"], erased.json["reason"]) == ("cancelled", "erased")
    assert [change["reason"] for change in erased.json["history"]] == ["reported", "erased"]


def test_invitations_are_found_by_their_order_number(service: Service, site: str, own: str) -> None:
    anna = an_invitation(service.app, site, "7")
    service.clock.advance(timedelta(seconds=1))
    an_invitation(service.app, site, "70")
    bert = an_invitation(service.app, site, "7", email="bert@example.com")
    page = request_as(service.address, own, "GET", "/v1/invitations", orderNumber=" 7 ").json
    assert [each["inviteId"] for each in page["invitations"]] == [bert, anna]
    first = request_as(service.address, own, "GET", "/v1/invitations", orderNumber="7", limit=1).json
    second = request_as(service.address, own, "GET", "/v1/invitations", orderNumber="7", cursor=first["cursor"]).json
    assert ([each["inviteId"] for each in second["invitations"]], second["cursor"]) == ([anna], None)


def test_invitations_are_found_by_their_state(service: Service, site: str, own: str) -> None:
    invitations = [an_invitation(service.app, site, f"state-{number}") for number in range(3)]
    for one in invitations[:2]:
        request_as(service.address, own, "POST", f"/v1/invitations/{one}/cancel")

    def found(**query: object) -> list[str]:
        page = request_as(service.address, own, "GET", "/v1/invitations", **query).json
        return [each["inviteId"] for each in page["invitations"]]

    assert sorted(found(state="cancelled")) == sorted(invitations[:2])
    assert found(state="scheduled") == invitations[2:]
    assert found(state="sent") == []
    assert found(state="cancelled", orderNumber="state-1") == [invitations[1]]
    assert found(state="cancelled", orderNumber="state-2") == []
    page = request_as(service.address, own, "GET", "/v1/invitations", state="cancelled", limit=1).json
    rest = found(state="cancelled", cursor=page["cursor"])
    assert sorted([page["invitations"][0]["inviteId"], *rest]) == sorted(invitations[:2])


@pytest.mark.parametrize(("body", "status"), [(b"{}", 200), (b'{"reason":"x"}', 422), (b"x", 422), (b"[]", 422)])
def test_a_cancellation_says_nothing_more(service: Service, site: str, own: str, body: bytes, status: int) -> None:
    invite_id = an_invitation(service.app, site, "1")
    assert request_as(service.address, own, "POST", f"/v1/invitations/{invite_id}/cancel", body).status == status
    state = State.CANCELLED if status == 200 else State.SCHEDULED
    assert accepted(service.app.invitations.show(OPERATOR, invite_id)).invitation.state is state


@pytest.mark.parametrize("path", [*GETS, *POSTS])
def test_without_a_good_key_nothing_is_told(service: Service, path: str) -> None:
    method = "GET" if path in GETS else "POST"
    body = BODY.get(path)
    missing = request_as(service.address, None, method, path, body)
    assert (missing.status, missing.code, missing.headers["WWW-Authenticate"]) == (401, "key_missing", "Bearer")
    wrong = request_as(service.address, "rvi_" + "0" * 36, method, path, body)
    assert (wrong.status, wrong.code) == (401, "key_invalid")
    made = service.new_key()
    assert request_as(service.address, made.secret.text, method, path, body).status in {200, 404}
    service.app.api_keys.revoke(made.api_key.key_id)
    revoked = request_as(service.address, made.secret.text, method, path, body)
    assert (revoked.status, revoked.code) == (401, "key_invalid")


def test_the_checks_come_in_their_order(service: Service) -> None:
    large, plain = b" " * 17_000, {"Content_Type": "text/plain"}
    for path in POSTS:
        assert http_request(service.address, "POST", path, large, **plain).status == 413
        assert http_request(service.address, "POST", path, b"x", **plain).status == 415
        assert http_request(service.address, "POST", path, b"x", Content_Type="application/json").status == 401
    assert request_as(service.address, None, "GET", "/v1/reviews?limit=0").status == 401


def test_the_limit_of_reads_is_a_setting() -> None:
    settings = Settings(database_url="memory:", mail_url="recording:", reads_per_minute=2)
    app = build(settings, clock=ManualClock())
    app.shops.add(a_shop(SITE))
    made = accepted(app.api_keys.create(SITE, "tests")).secret
    asked = [app.reviews.list_changes(made, MerchantReviewQuery(after=Bookmark.since(EPOCH))) for _ in range(3)]
    assert [isinstance(each, LimitReached) for each in asked] == [False, False, True]
    app.close()
