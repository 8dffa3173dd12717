"""Bytes to the domain and back: every way in which a body can be wrong, and none that breaks the decoder."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given, strategies as st

from reviewinvite_core import Invalid, OrderReport, SecretKey
from reviewinvite_core.values import KeyRefused, Problem
from reviewinvite_core.wire.json_converter import structure_body
from reviewinvite_http.errors import refusal_answer
from reviewinvite_http.requests import is_json
from reviewinvite_http.security import read_authorization

FIELDS = ("email", "orderNumber", "language", "delayDays")
KEY = SecretKey.make(bytes(range(23)))


def decode_order(body: bytes) -> OrderReport | Invalid:
    """Return what is in the body of a report."""
    return structure_body(body, OrderReport)


def a_body(**fields: object) -> bytes:
    return json.dumps({"email": "anna@example.com", **fields}).encode()


def test_a_whole_report_is_decoded() -> None:
    body = '{"email": " Anna@Bücher.example.nl ", "orderNumber": " 1001 ", "language": "en", "delayDays": 2.5}'.encode()
    assert decode_order(body) == OrderReport(
        email="Anna@Bücher.example.nl", order_number="1001", language="en", delay_days=2.5
    )


def test_an_address_alone_will_do() -> None:
    assert decode_order(b'{"email": "anna@example.com"}') == OrderReport(email="anna@example.com")


REFUSED = {
    "nothing": (b"", Problem.INVALID_JSON, None),
    "blanks": (b" \r\n", Problem.INVALID_JSON, None),
    "half an object": (b'{"email": "anna@example.com"', Problem.INVALID_JSON, None),
    "two objects": (a_body() + a_body(), Problem.INVALID_JSON, None),
    "single quotes": (b"{'email': 'anna@example.com'}", Problem.INVALID_JSON, None),
    "a comma too many": (b'{"email": "anna@example.com",}', Problem.INVALID_JSON, None),
    "a comment": (b'{"email": "anna@example.com"} // new', Problem.INVALID_JSON, None),
    "invalid UTF-8": (b'{"email": "ann\xff@example.com"}', Problem.INVALID_JSON, None),
    "surrogates in UTF-8": (b'{"email": "anna\xed\xa0\x80@example.com"}', Problem.INVALID_JSON, None),
    "a byte order mark": (b"\xef\xbb\xbf" + a_body(), Problem.INVALID_JSON, None),
    "UTF-16": (a_body().decode().encode("utf-16"), Problem.INVALID_JSON, None),
    "a bare line break in a text": (b'{"email": "anna\n@example.com"}', Problem.INVALID_JSON, None),
    "NaN": (b'{"email": "anna@example.com", "delayDays": NaN}', Problem.INVALID_JSON, None),
    "Infinity": (b'{"email": "anna@example.com", "delayDays": Infinity}', Problem.INVALID_JSON, None),
    "200,000 open brackets": (b"[" * 200_000, Problem.INVALID_JSON, None),
    "200,000 nested objects": (b'{"a":' * 200_000 + b"1" + b"}" * 200_000, Problem.INVALID_JSON, None),
    "nesting in a field": (b'{"email": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", Problem.INVALID_JSON, None),
    "a number of 10,000 digits": (
        b'{"email": "anna@example.com", "delayDays": ' + b"9" * 10_000 + b"}",
        Problem.INVALID_JSON,
        None,
    ),
    "null": (b"null", Problem.NOT_AN_OBJECT, None),
    "an array": (b"[]", Problem.NOT_AN_OBJECT, None),
    "a text": (b'"anna@example.com"', Problem.NOT_AN_OBJECT, None),
    "true": (b"true", Problem.NOT_AN_OBJECT, None),
    "no field": (b"{}", Problem.FIELD_MISSING, "email"),
    "no address": (b'{"orderNumber": "1001"}', Problem.FIELD_MISSING, "email"),
    "a field not known": (a_body(name="Anna"), Problem.UNKNOWN_FIELD, "name"),
    "a field in another spelling": (a_body(order_number="1001"), Problem.UNKNOWN_FIELD, "order_number"),
    "a field without a name": (b'{"": 1}', Problem.UNKNOWN_FIELD, ""),
    "an unknown field before a missing one": (b'{"name": "Anna"}', Problem.UNKNOWN_FIELD, "name"),
    "a field twice": (b'{"email": "anna@example.com", "email": "anna@example.com"}', Problem.DUPLICATE_FIELD, "email"),
    "a field twice, spelt in two ways": (
        b'{"email": "anna@example.com", "\\u0065mail": "bob@example.com"}',
        Problem.DUPLICATE_FIELD,
        "email",
    ),
    "an unknown field twice": (b'{"email": "a@example.com", "x": 1, "x": 2}', Problem.DUPLICATE_FIELD, "x"),
    "a field twice within a field": (b'{"email": {"x": 1, "x": 2}}', Problem.DUPLICATE_FIELD, "x"),
    "a null address": (b'{"email": null}', Problem.WRONG_TYPE, "email"),
    "a null order number": (a_body(orderNumber=None), Problem.WRONG_TYPE, "orderNumber"),
    "a null language": (a_body(language=None), Problem.WRONG_TYPE, "language"),
    "a null delay": (a_body(delayDays=None), Problem.WRONG_TYPE, "delayDays"),
    "an address in an array": (b'{"email": ["anna@example.com"]}', Problem.WRONG_TYPE, "email"),
    "a number for an address": (b'{"email": 1}', Problem.WRONG_TYPE, "email"),
    "a number for an order number": (a_body(orderNumber=1001), Problem.WRONG_TYPE, "orderNumber"),
    "a number for a language": (a_body(language=1), Problem.WRONG_TYPE, "language"),
    "true for a delay": (a_body(delayDays=True), Problem.WRONG_TYPE, "delayDays"),
    "a text for a delay": (a_body(delayDays="5"), Problem.WRONG_TYPE, "delayDays"),
    "no domain": (a_body(email="anna"), Problem.INVALID_ADDRESS, "email"),
    "a header smuggled in": (
        a_body(email="anna@example.com\r\nBcc: bob@example.com"),
        Problem.INVALID_ADDRESS,
        "email",
    ),
    "a lone surrogate in an address": (b'{"email": "\\ud800@example.com"}', Problem.INVALID_ADDRESS, "email"),
    "an order number of 129 characters": (a_body(orderNumber="1" * 129), Problem.TOO_LONG, "orderNumber"),
    "a NUL in an order number": (a_body(orderNumber="1\x001"), Problem.FORBIDDEN_CHARACTERS, "orderNumber"),
    "a lone surrogate in an order number": (
        b'{"email": "anna@example.com", "orderNumber": "1\\ud8001"}',
        Problem.FORBIDDEN_CHARACTERS,
        "orderNumber",
    ),
    "a delay of 60.001": (a_body(delayDays=60.001), Problem.OUT_OF_RANGE, "delayDays"),
    "a delay of 1e400": (b'{"email": "anna@example.com", "delayDays": 1e400}', Problem.OUT_OF_RANGE, "delayDays"),
    "a delay of 4,000 digits": (
        b'{"email": "anna@example.com", "delayDays": ' + b"9" * 4_000 + b"}",
        Problem.OUT_OF_RANGE,
        "delayDays",
    ),
    "another language": (a_body(language="de"), Problem.UNKNOWN_LANGUAGE, "language"),
    "an empty language": (a_body(language=""), Problem.UNKNOWN_LANGUAGE, "language"),
    "a lone surrogate for a language": (
        b'{"email": "anna@example.com", "language": "\\ud800"}',
        Problem.UNKNOWN_LANGUAGE,
        "language",
    ),
}


@pytest.mark.parametrize(("body", "problem", "field"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_exactly_right_is_refused_by_name(body: bytes, problem: Problem, field: str | None) -> None:
    assert decode_order(body) == Invalid(problem, field)


def test_every_problem_is_met_above() -> None:
    of_operators = {Problem.NOT_A_HOST, Problem.PUBLIC_SUFFIX, Problem.UNKNOWN_THEME, Problem.UNKNOWN_SIZE}
    of_other_requests = set(Problem) - {problem for _, problem, _ in REFUSED.values()} - of_operators
    assert of_other_requests == {Problem.UNKNOWN_REASON, Problem.UNKNOWN_SNIPPET, Problem.MALFORMED, Problem.EMPTY}


HOSTILE_NAMES = (
    '"}',
    "</script>",
    "{field}",
    "{0.__class__}",
    "%s",
    "\\",
    "\x00",
    "\n",
    "\u2028",
    "\u202e",
    "\ud800",
    "\U0001f600",
    "n" * 10_000,
    "\ud800" * 10_000,
)


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_an_unknown_field_is_named_harmlessly_whatever_its_name(name: str) -> None:
    decoded = decode_order(json.dumps({name: 1}).encode())
    assert isinstance(decoded, Invalid)
    answer = refusal_answer(decoded, "request-1")
    shown = json.loads(answer.content(""))
    assert (answer.status, shown["code"], shown["field"]) == (422, "unknown_field", decoded.field)
    assert decoded.field is not None
    assert decoded.field.isascii()
    assert len(answer.content("")) < 4_000


def test_a_short_name_is_shown_as_it_was_sent() -> None:
    decoded = decode_order(b'{"phoneNumber": "06"}')
    assert isinstance(decoded, Invalid)
    assert "'phoneNumber'" in refusal_answer(decoded, "1").body.error


def test_many_fields_with_the_last_one_twice_are_read_in_a_moment() -> None:
    names = [f'"{number:x}":1' for number in range(200_000)]
    body = ("{" + ",".join([*names, names[-1]]) + "}").encode()
    begun = time.thread_time()
    assert decode_order(body) == Invalid(Problem.DUPLICATE_FIELD, f"{199_999:x}")
    assert time.thread_time() - begun < 10  # looking each name up among all took minutes


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(st.sampled_from(FIELDS) | st.text(), json_values, max_size=5)


def decodes_to_a_report_or_a_refusal(body: bytes) -> None:
    decoded = decode_order(body)
    if isinstance(decoded, Invalid):
        answer = refusal_answer(decoded, "request-1")
        assert answer.status == 422
        assert answer.body.code == decoded.problem
    else:
        assert isinstance(decoded, OrderReport)


@given(st.binary(max_size=200))
@example(b"\x00")
@example(b'{"email":"\\uDC00"}')
def test_no_bytes_break_the_decoder(body: bytes) -> None:
    decodes_to_a_report_or_a_refusal(body)


@given(json_objects)
def test_no_json_breaks_the_decoder(fields: dict[str, object]) -> None:
    decodes_to_a_report_or_a_refusal(json.dumps(fields).encode())


@given(json_objects, st.data())
def test_no_text_in_the_place_of_a_right_one_breaks_the_decoder(fields: dict[str, object], data: st.DataObject) -> None:
    fields = {"email": "anna@example.com", **{name: fields[name] for name in FIELDS if name in fields}}
    text = json.dumps(fields, ensure_ascii=data.draw(st.booleans()))
    decodes_to_a_report_or_a_refusal(text.encode("utf-8", "surrogatepass"))


@given(
    st.emails().filter(lambda email: email.isascii()),
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=128),
    st.sampled_from(["nl", "en"]),
    st.floats(0, 60),
)
def test_what_the_library_takes_the_wire_takes_alike(email: str, number: str, language: str, days: float) -> None:
    body = json.dumps({"email": email, "orderNumber": number, "language": language, "delayDays": days}).encode()
    try:
        expected: OrderReport | Invalid = OrderReport(
            email=email, order_number=number, language=language, delay_days=days
        )
    except Invalid as invalid:
        expected = invalid
    assert decode_order(body) == expected


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer \t", KEY.text, f"Basic {KEY.text}", "Bearer,"]
)
def test_where_no_key_is_presented_one_is_missing(header: str | None) -> None:
    assert read_authorization(header) == KeyRefused(presented=False)


@given(st.text(st.characters(max_codepoint=255)))
def test_no_header_breaks_the_decoder(header: str) -> None:
    assert isinstance(read_authorization(header), KeyRefused)
    assert isinstance(read_authorization("Bearer " + header), KeyRefused)


@pytest.mark.parametrize(
    "media_type",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "application/vnd.api+json",
        "text/json",
        "*/*",
        "application/json, text/plain",
    ],
)
def test_any_other_media_type_is_not_json(media_type: str | None) -> None:
    assert not is_json(media_type)
