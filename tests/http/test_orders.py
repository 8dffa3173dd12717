"""`POST /v1/orders` over a real connection: each status, the order of checks, and what is never told. Spec: §4.1."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from tests.http.service import (
    SITE,
    Answer,
    Deployment,
    Service,
    an_order,
    connect,
    http_request,
    open_socket,
    read_response,
    report,
    request_bytes,
    send_request,
)
from tests.http.serving import serving
from tests.logs import captured_logs

from reviewinvite_core import OPERATOR, SecretKey, ShopChanges, accepted
from reviewinvite_core.testing.builders import ManualClock, a_shop

LARGEST = 16 * 1024
LIMIT = 4  # reports a minute, where a test uses up all of them
OTHER_SITE = "slagerij-2"


def padded(size: int, body: bytes = b'{"email": "anna@example.com"}') -> bytes:
    """Return the report padded with blanks to this many bytes."""
    return body + b" " * (size - len(body))


def in_pieces(body: bytes, size: int = 65536) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def is_an_error(answer: Answer, status: int, code: str) -> bool:
    """Whether it is this error in the one form that all errors have."""
    members = {"error", "code", "requestId", "type", "title", "status", "detail", "errors"}
    assert set(answer.json) - {"field"} == members
    assert answer.json["status"] == status
    assert answer.json["type"].endswith(f"/v1/errors#{code}")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return (answer.status, answer.code) == (status, code)


@pytest.fixture(scope="module")
def limited() -> Iterator[Service]:
    """A server that takes few reports a minute of a key, so that its limit is soon used up."""
    with serving(orders_per_minute=LIMIT) as service:
        service.app.shops.add(a_shop(SITE))
        yield service


@pytest.fixture
def closed_shop(limited: Service) -> Iterator[str]:
    """A key of a shop that is not active."""
    limited.app.shops.add(a_shop(OTHER_SITE))
    limited.app.shops.update(OTHER_SITE, ShopChanges(active=False))
    yield limited.a_key(OTHER_SITE)
    limited.app.shops.update(OTHER_SITE, ShopChanges(active=True))


@pytest.fixture
def spent(limited: Service) -> str:
    """A key whose limit is used up."""
    key = limited.a_key()
    assert {report(limited.address, key).status for _ in range(LIMIT)} <= {200, 201}
    return key


def test_a_new_order_is_201_with_its_invitation(service: Service, key: str) -> None:
    answer = report(service.address, key, an_order("new@example.com", orderNumber="1", delayDays=2.5, language="en"))
    assert answer.status == 201
    assert set(answer.json) == {"inviteId", "scheduledFor"}
    shown = accepted(service.app.invitations.show(OPERATOR, answer.json["inviteId"])).invitation
    assert (shown.order_number, shown.language.value) == ("1", "en")
    assert shown.scheduled_for - shown.reported_at == timedelta(days=2.5)
    assert answer.json["scheduledFor"] == "2026-03-05T00:00:00.120Z"
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Server"] is None


def test_a_repeat_is_200_with_the_first_invitation_and_says_that_it_is_one(service: Service, key: str) -> None:
    first = report(service.address, key, an_order("twice@example.com", orderNumber="1"))
    again = report(service.address, key, an_order("TWICE@Example.com", orderNumber=" 1 ", delayDays=9, language="en"))
    assert (first.status, again.status) == (201, 200)
    assert again.json == {**first.json, "duplicate": True}


def test_without_a_language_or_delay_those_of_the_shop_apply(service: Service) -> None:
    service.app.shops.add(a_shop("english-3", language="en", delay=1))
    answer = report(service.address, service.a_key("english-3"))
    shown = accepted(service.app.invitations.show(OPERATOR, answer.json["inviteId"])).invitation
    assert shown.language.value == "en"
    assert shown.scheduled_for - shown.reported_at == timedelta(days=1)


def test_a_media_type_may_have_parameters(service: Service, key: str) -> None:
    assert report(service.address, key, Content_Type="application/json; charset=utf-8").status in {200, 201}


def test_a_scheme_in_lower_case_will_do(service: Service, key: str) -> None:
    assert report(service.address, key, Authorization=f"bearer {key}").status in {200, 201}


def test_without_a_key_it_is_401_and_says_how_to_authenticate(service: Service) -> None:
    answer = http_request(service.address, "POST", "/v1/orders", an_order(), Content_Type="application/json")
    assert is_an_error(answer, 401, "key_missing")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer ", "Basic YW5uYTpzZWNyZXQ="])
def test_another_authorization_is_no_key(service: Service, authorization: str) -> None:
    assert is_an_error(report(service.address, "", Authorization=authorization), 401, "key_missing")


def wrong_keys() -> dict[str, str]:
    good = SecretKey.make(b"a key of nobody, at all").text
    return {
        "well-formed but unknown": good,
        "truncated": good[:-1],
        "one character too long": good + "a",
        "a check digit changed": good[:-1] + ("A" if good[-1] != "A" else "B"),
        "not ASCII": good[:-1] + "\xe9",
        "very long": "rvi_" + "a" * 8000,
        "SQL": "' OR 1=1 --",
    }


@pytest.mark.parametrize("wrong", wrong_keys().values(), ids=wrong_keys())
def test_a_wrong_key_is_401(service: Service, wrong: str) -> None:
    answer = report(service.address, wrong)
    assert is_an_error(answer, 401, "key_invalid")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_revoked_key_is_401_from_the_next_request_on(service: Service) -> None:
    made = service.new_key()
    assert report(service.address, made.secret.text).status in {200, 201}
    service.app.api_keys.revoke(made.api_key.key_id)
    assert is_an_error(report(service.address, made.secret.text), 401, "key_invalid")


def test_two_keys_in_one_request_are_refused_even_if_both_are_good(service: Service, key: str) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(request_bytes(key, an_order(), f"Authorization: Bearer {key}"))
        assert is_an_error(read_response(connection), 401, "key_invalid")


def test_a_key_of_another_shop_reports_to_that_shop_only(service: Service, key: str) -> None:
    service.app.shops.add(a_shop("other-4"))
    body = an_order("shared@example.com", orderNumber="1")
    ours, theirs = (report(service.address, which, body) for which in (key, service.a_key("other-4")))
    assert (ours.status, theirs.status) == (201, 201)
    assert ours.json["inviteId"] != theirs.json["inviteId"]
    assert accepted(service.app.invitations.show(OPERATOR, theirs.json["inviteId"])).shop.site_id.text == "other-4"


def test_an_inactive_shop_is_403_and_201_when_it_is_active_again(limited: Service, closed_shop: str) -> None:
    assert is_an_error(report(limited.address, closed_shop), 403, "shop_inactive")
    limited.app.shops.update(OTHER_SITE, ShopChanges(active=True))
    assert report(limited.address, closed_shop).status == 201


def test_the_121st_request_of_a_minute_is_429_until_the_first_is_a_minute_old(service: Service) -> None:
    key = service.a_key()
    connection = connect(service.address)
    assert report(connection, key).status in {200, 201}
    service.clock.advance(timedelta(seconds=10))
    assert {report(connection, key).status for _ in range(119)} == {200}
    refused = report(connection, key)
    assert is_an_error(refused, 429, "limit_reached")
    assert refused.headers["Retry-After"] == "50"
    service.clock.advance(timedelta(seconds=49.5))
    assert report(connection, key).headers["Retry-After"] == "1"
    service.clock.advance(timedelta(seconds=0.499_999))
    assert report(connection, key).status == 429
    service.clock.advance(timedelta(microseconds=1))
    assert report(connection, key).status == 200  # what was refused took nothing
    assert report(connection, key).headers["Retry-After"] == "10"
    connection.close()


def test_a_key_has_a_limit_of_its_own(limited: Service, spent: str) -> None:
    assert report(limited.address, spent).status == 429
    assert report(limited.address, limited.a_key()).status in {200, 201}


def test_an_invalid_body_takes_from_the_limit(limited: Service) -> None:
    key = limited.a_key()
    connection = connect(limited.address)
    assert {report(connection, key, b"{}").status for _ in range(LIMIT)} == {422}
    assert report(connection, key).status == 429
    connection.close()


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        (b"", "invalid_json", None),
        (b"[" * 16_000, "invalid_json", None),
        (b'{"email": "\xff@example.com"}', "invalid_json", None),
        (b"null", "not_an_object", None),
        (b"{}", "field_missing", "email"),
        (an_order("nobody"), "invalid_address", "email"),
        (an_order(delayDays=61), "out_of_range", "delayDays"),
        (an_order(delayDays=True), "wrong_type", "delayDays"),
        (an_order(orderNumber="1\u202e"), "forbidden_characters", "orderNumber"),
        (an_order(orderNumber="1" * 10_000), "too_long", "orderNumber"),
        (an_order(phone="06"), "unknown_field", "phone"),
        (b'{"\\ud800": 1}', "unknown_field", "\\ud800"),
    ],
)
def test_an_invalid_body_is_422_and_names_the_field(
    service: Service, key: str, body: bytes, code: str, field: str | None
) -> None:
    answer = report(service.address, key, body)
    assert is_an_error(answer, 422, code)
    assert answer.json.get("field") == field


def test_a_body_of_16_kib_is_read(service: Service, key: str) -> None:
    assert report(service.address, key, padded(LARGEST)).status in {200, 201}
    assert report(service.address, key, in_pieces(padded(LARGEST), 1000), Transfer_Encoding="chunked").status == 200


@pytest.mark.parametrize("size", [LARGEST + 1, 10_000_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_larger_body_is_413_and_the_connection_goes_on(service: Service, key: str, size: int, chunked: bool) -> None:
    body = padded(size)
    connection = connect(service.address)
    if chunked:
        answer = report(connection, key, in_pieces(body), Transfer_Encoding="chunked")
    else:
        answer = report(connection, key, body)
    assert is_an_error(answer, 413, "body_too_large")
    assert report(connection, key).status in {200, 201}
    connection.close()


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_another_media_type_is_415(service: Service, key: str, media_type: str) -> None:
    assert is_an_error(report(service.address, key, Content_Type=media_type), 415, "unsupported_media_type")


def test_without_a_media_type_it_is_415(service: Service, key: str) -> None:
    answer = http_request(service.address, "POST", "/v1/orders", an_order(), Authorization=f"Bearer {key}")
    assert is_an_error(answer, 415, "unsupported_media_type")


def test_the_first_check_that_fails_gives_the_answer(limited: Service, closed_shop: str, spent: str) -> None:
    nobody = wrong_keys()["well-formed but unknown"]
    large, bad = padded(LARGEST + 1), b"{}"

    def status(key: str, body: bytes, media_type: str = "application/json") -> int:
        return report(limited.address, key, body, Content_Type=media_type).status

    assert status(nobody, large, "text/plain") == 413
    assert status(nobody, bad, "text/plain") == 415
    assert status("", bad) == 401
    assert status(nobody, bad) == 401
    assert status(closed_shop, bad) == 403
    assert status(spent, bad) == 429
    assert status(limited.a_key(), bad) == 422


def test_the_shop_is_looked_at_before_its_limit(limited: Service, spent: str) -> None:
    limited.app.shops.update(SITE, ShopChanges(active=False))
    try:
        assert report(limited.address, spent).status == 403
    finally:
        limited.app.shops.update(SITE, ShopChanges(active=True))
    assert report(limited.address, spent).status == 429


def test_what_is_refused_before_the_limit_takes_nothing_from_it(limited: Service) -> None:
    key = limited.a_key()
    connection = connect(limited.address)
    for _ in range(LIMIT + 1):
        assert report(connection, key, padded(LARGEST + 1)).status == 413
        assert report(connection, key, Content_Type="text/plain").status == 415
    assert {report(connection, key).status for _ in range(LIMIT)} <= {200, 201}
    assert report(connection, key).status == 429
    connection.close()


@pytest.mark.parametrize("path", ["/v1", "/v1/order", "/v1/orders/1", "/%00", "/..%2f..%2fetc", "/" + "a" * 2000])
def test_there_is_nothing_at_any_other_address(service: Service, path: str) -> None:
    assert is_an_error(http_request(service.address, "GET", path), 404, "not_found")


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
def test_another_method_is_405_and_says_which_are_allowed(service: Service, key: str, method: str) -> None:
    answer = http_request(service.address, method, "/v1/orders", Authorization=f"Bearer {key}")
    assert is_an_error(answer, 405, "method_not_allowed")
    assert {name.strip() for name in answer.headers["Allow"].split(",")} == {"OPTIONS", "POST"}


def test_head_is_405_without_a_body(service: Service) -> None:
    answer = http_request(service.address, "HEAD", "/v1/orders")
    assert (answer.status, answer.body) == (405, b"")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/v1/openapi.json"])
def test_a_probe_may_ask_with_head(service: Service, path: str) -> None:
    whole = http_request(service.address, "GET", path)
    head = http_request(service.address, "HEAD", path)
    assert (whole.status, head.status, head.body) == (200, 200, b"")
    assert head.headers["Content-Length"] == str(len(whole.body))
    assert is_an_error(http_request(service.address, "POST", path, b"{}"), 405, "method_not_allowed")


def test_a_request_that_is_no_http_is_400(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(b"GARBAGE\r\n\r\n")
        assert is_an_error(read_response(connection), 400, "bad_request")


def test_a_wish_for_http_2_is_passed_over_and_the_order_taken(service: Service, key: str) -> None:
    body = an_order("upgrade@example.com")
    wish = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAAA")
    with open_socket(service.address) as connection:
        connection.sendall(request_bytes(key, body, *wish))
        assert read_response(connection).status == 201
        head = request_bytes(key, body, *wish)[: -len(body)]
        connection.sendall(head)
        connection.sendall(body)
        assert read_response(connection).status == 200


def test_a_tunnel_is_refused(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
        assert is_an_error(read_response(connection), 400, "bad_request")


def test_no_two_errors_have_the_same_request_id(service: Service) -> None:
    ids = [http_request(service.address, "GET", "/nothing").json["requestId"] for _ in range(20)]
    assert len(set(ids)) == 20


class BrokenClock(ManualClock):
    """A clock that fails while `broken` is set."""

    broken = False

    def now(self) -> datetime:
        if self.broken:
            raise OSError("the clock has stopped")
        return super().now()


def test_a_fault_of_ours_is_500_logged_with_its_request_id_and_the_next_request_is_answered() -> None:
    clock = BrokenClock()
    with serving(clock=clock) as service, captured_logs() as logs:
        service.app.shops.add(a_shop(SITE))
        key = service.a_key()
        clock.broken = True
        answer = report(service.address, key)
        assert is_an_error(answer, 500, "internal_error")
        clock.broken = False
        assert report(service.address, key).status == 201
    (logged,) = [line for line in logs if line["log_level"] == "error"]
    assert logged["requestId"] == answer.json["requestId"]
    assert logged["exception"].endswith("OSError\n")  # the class, and no message: it may contain anything
    assert "exc_info" not in logged  # with the frames in hand, structlog and rich would write what their variables hold


def test_no_error_and_no_log_line_holds_an_address_or_a_key(deployment: Deployment) -> None:
    process = deployment.serve("--no-worker")
    key, other = deployment.key, wrong_keys()["well-formed but unknown"]
    secret_number = "order-number-hush"
    bodies = [
        an_order("leaky.address@example.com", orderNumber=secret_number),
        an_order("leaky.address", orderNumber=secret_number),
        an_order("leaky.address@example.com", orderNumber=secret_number + "\n\x00"),
        an_order("leaky.address@example.com", delayDays="leaky.address@example.com"),
        an_order("leaky.address@example.com", language="leaky.address@example.com"),
        b'{"email": "leaky.address@example.com", "email": "leaky.address@example.com"}',
        b'["leaky.address@example.com"]',
        b"leaky.address@example.com \xff",
        padded(LARGEST + 1, b'{"email": "leaky.address@example.com"}'),
    ]
    answers = [report(process.address, which, body) for body in bodies for which in (key, other, key[:-1])]
    answers += [report(process.address, key, body, Content_Type="text/plain") for body in bodies]
    answers += [http_request(process.address, "GET", f"/v1/orders/leaky.address@example.com?key={key}")]
    with open_socket(process.address) as connection:
        connection.sendall(b"Authorization: Bearer %b\r\nleaky.address@example.com\r\n\r\n" % key.encode())
        answers.append(read_response(connection))
    deployment.take_database_away()
    answers.append(report(process.address, key, bodies[0]))
    assert {answer.status for answer in answers} == {201, 400, 401, 404, 413, 415, 422, 503}
    assert process.terminate() == 0
    told = [answer.body.decode() + str(answer.headers) for answer in answers] + [process.log]
    assert "storage unavailable" in process.log
    for text in told:
        assert not re.search(r"leaky|hush", text)
        assert key not in text
        assert key[4:20] not in text
        assert other not in text


def test_keep_alive_serves_many_orders_over_one_connection(service: Service, key: str) -> None:
    connection = connect(service.address)
    answers = [send_request(connection, "GET", "/healthz").status, *(report(connection, key).status for _ in range(20))]
    assert set(answers) <= {200, 201}
    assert connection.sock is not None
    connection.close()


def test_the_answer_is_utf_8_json_and_nothing_else(service: Service, key: str) -> None:
    for answer in (report(service.address, key), report(service.address, key, b"{}"), report(service.address, "x")):
        assert json.loads(answer.body.decode("utf-8"))
        assert int(answer.headers["Content-Length"]) == len(answer.body)
