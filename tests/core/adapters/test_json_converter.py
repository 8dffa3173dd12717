"""JSON to the domain's classes and back: strictly in, by name out, and all that is wrong in one answer."""

from __future__ import annotations

import json
import pickle
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import pytest
from hypothesis import example, given, strategies as st
from tests.builders import a_review, an_invitation

from reviewinvite_core import (
    Delay,
    Invalid,
    Language,
    NewReply,
    OrderReport,
    Reason,
    ReviewState,
    SiteId,
    SnippetReport,
    State,
)
from reviewinvite_core.testing.builders import NOON, a_shop
from reviewinvite_core.values import Change, EmailAddress, HideReason, Problem, Reply
from reviewinvite_core.wire.invitations import Change as ChangeShape
from reviewinvite_core.wire.json_converter import NoFields, as_json, decode_object, structure_body, structure_fields
from reviewinvite_core.wire.orders import ReportedOrder
from reviewinvite_core.wire.reviews import OperatorReview, Reply as ReplyShape
from reviewinvite_core.wire.shape import Shape, about

Body: TypeAlias = OrderReport | SnippetReport | NewReply


@attrs.frozen
class Middle(Shape):
    first_of_all: str
    in_between: str | None = attrs.field(default=None, metadata=about(optional=True))
    last_of_all: str | None = None


def _broken(_: object) -> int:
    raise ZeroDivisionError


@attrs.frozen
class Broken(Shape):
    number: int = attrs.field(converter=_broken)


def faults(body: bytes | dict[str, object], cls: type = OrderReport) -> list[tuple[str, str | None]]:
    """The code and the field of all that is wrong, in the order of the answer."""
    found = structure_body(body if isinstance(body, bytes) else json.dumps(body).encode(), cls)
    assert isinstance(found, Invalid), found
    return [(each.problem.value, each.field) for each in found.errors]


def test_a_report_is_structured_by_the_names_of_the_interface() -> None:
    body = b'{"delayDays": 2.5, "language": "en", "orderNumber": " 1001 ", "email": " Anna@Example.com "}'
    assert structure_body(body, OrderReport) == OrderReport(
        email=EmailAddress("Anna@example.com"),
        order_number="1001",
        language=Language.EN,
        delay_days=Delay.from_days(2.5),
    )


def test_what_is_left_out_is_the_shops_own() -> None:
    assert structure_body(b'{"email": "anna@example.com"}', OrderReport) == OrderReport(email="anna@example.com")


def test_a_browsers_report_is_an_order_and_its_shop() -> None:
    body = b'{"orderNumber": "1001", "siteId": "molen", "email": "anna@example.com"}'
    order = OrderReport(email=EmailAddress("anna@example.com"), order_number="1001")
    assert structure_body(body, SnippetReport) == SnippetReport(site_id=SiteId("molen"), order=order)


@pytest.mark.parametrize(("text", "kept"), [(" Dank!\r\n", "Dank!"), ("", None), (" \n ", None)])
def test_a_reply_is_a_text_and_an_empty_one_takes_it_away(text: str, kept: str | None) -> None:
    reply = structure_body(json.dumps({"text": text}).encode(), NewReply)
    assert isinstance(reply, NewReply)
    assert reply.text == kept


def test_a_body_that_says_nothing_is_an_object_without_fields() -> None:
    assert structure_body(b" {} ", NoFields) == NoFields()
    assert faults({"b": 1, "a": None}, NoFields) == [("unknown_field", "b"), ("unknown_field", "a")]
    assert faults(b"[]", NoFields) == [("not_an_object", None)]


def test_every_wrong_field_is_named_in_the_order_of_the_interface() -> None:
    body = {"delayDays": 61, "language": "xx", "orderNumber": "1\n1", "email": "anna"}
    assert faults(body) == [
        ("invalid_address", "email"),
        ("forbidden_characters", "orderNumber"),
        ("unknown_language", "language"),
        ("out_of_range", "delayDays"),
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"delayDays": "5", "y": 1, "x": 1}, ["y", "x", "email", "delayDays"]),
        ({"delayDays": None, "x": 1, "orderNumber": None}, ["delayDays", "x", "email", "orderNumber"]),
        ({"orderNumber": "1\n1", "delayDays": None, "email": 1}, ["delayDays", "email", "orderNumber"]),
        ({"orderNumber": "1\n1", "delayDays": 61}, ["email", "orderNumber", "delayDays"]),
    ],
    ids=["unknown fields come first", "null before unknown", "null before a value", "missing before a value"],
)
def test_the_first_is_what_was_found_first_and_unknown_fields_follow(
    body: dict[str, object], expected: list[str]
) -> None:
    assert [field for _, field in faults(body)] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ["siteId", "email"]),
        ({"orderNumber": "1\n1", "email": "x", "siteId": 1}, ["siteId", "email", "orderNumber"]),
        ({"orderNumber": "1\n1", "email": "x", "siteId": ""}, ["email", "siteId", "orderNumber"]),
        ({"siteId": "-", "email": "anna@example.com"}, ["siteId"]),
        (
            {"language": "nl", "delayDays": 5, "order": {}, "siteId": "molen"},
            ["language", "delayDays", "order", "email"],
        ),
    ],
    ids=["nothing", "of another type", "malformed: after the order", "malformed alone", "fields of the orders API"],
)
def test_a_browsers_report_has_fields_of_its_own(body: dict[str, object], expected: list[str]) -> None:
    assert [field for _, field in faults(body, SnippetReport)] == expected


@pytest.mark.parametrize("name", ["n" * 10_000, "\ud800", "\n", "</script>", ""], ids=ascii)
def test_an_unknown_field_is_named_harmlessly(name: str) -> None:
    [(_, field), _] = faults({name: 1})
    assert field is not None
    assert field.isascii()
    assert len(field) <= 64 * len(r"\U0001f600")


def test_of_many_unknown_fields_the_first_hundred_are_named() -> None:
    body: dict[str, object] = {**{f"x{number}": 1 for number in range(2_000)}, "delayDays": 61}
    named = [field for _, field in faults(body)]
    assert named == [*(f"x{number}" for number in range(100)), "email", "delayDays"]


REFUSED = {
    "not UTF-8": (b'{"email": "\xff"}', Problem.INVALID_JSON, None),
    "a byte order mark": (b"\xef\xbb\xbf{}", Problem.INVALID_JSON, None),
    "UTF-16": ("{}".encode("utf-16"), Problem.INVALID_JSON, None),
    "nothing": (b"", Problem.INVALID_JSON, None),
    "NaN, deep inside": (b'{"email": [{"x": NaN}]}', Problem.INVALID_JSON, None),
    "an infinity": (b'{"delayDays": -Infinity}', Problem.INVALID_JSON, None),
    "200,000 brackets": (b"[" * 200_000, Problem.INVALID_JSON, None),
    "a number of 5,000 digits": (b'{"delayDays": ' + b"9" * 5_000 + b"}", Problem.INVALID_JSON, None),
    "an array": (b"[]", Problem.NOT_AN_OBJECT, None),
    "null": (b"null", Problem.NOT_AN_OBJECT, None),
    "a field twice": (b'{"email": "", "x": 1, "\\u0065mail": ""}', Problem.DUPLICATE_FIELD, "email"),
    "a field twice, deep inside": (b'{"email": [{"x": 1, "x": 2}]}', Problem.DUPLICATE_FIELD, "x"),
}


@pytest.mark.parametrize(("body", "problem", "field"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_one_plain_object_is_refused(body: bytes, problem: Problem, field: str | None) -> None:
    with pytest.raises(Invalid) as refused:
        decode_object(body)
    assert refused.value == Invalid(problem, field)
    assert faults(body) == [(problem.value, field)]


def test_a_plain_object_is_given_as_it_is() -> None:
    assert decode_object('{"naam": "Zoë", "n": [1, 2.5, null, true]}'.encode()) == {
        "naam": "Zoë",
        "n": [1, 2.5, None, True],
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
plausible = st.sampled_from(
    ["anna@example.com", "anna", "nl", "xx", "molen", "", " ", "x" * 129, "\u202e", 5, 61, None]
)
NAMES = ("siteId", "email", "orderNumber", "language", "delayDays", "text")


def one_by_one(fields: dict[str, Any], cls: type[Body]) -> list[tuple[Problem, str]]:
    """All that is wrong, found by mending one field after the other; each must be the first to be named."""
    found = []
    right = {"siteId": "molen", "email": "anna@example.com", "orderNumber": "1", "language": "nl", "delayDays": 5}
    while isinstance(answer := structure_fields(fields, cls), Invalid):
        assert answer.field is not None
        found.append((answer.problem, answer.field))
        if answer.problem is Problem.UNKNOWN_FIELD:
            fields = {name: value for name, value in fields.items() if name != answer.field}
        else:
            fields = {**fields, answer.field: {**right, "text": "Dank!"}[answer.field]}
    return found


@pytest.mark.parametrize("cls", [OrderReport, SnippetReport, NewReply])
@given(st.dictionaries(st.sampled_from((*NAMES, "x", "y")), plausible | json_values, max_size=6))
@example({"email": None, "orderNumber": None, "x": None})
def test_all_are_named_at_once_that_are_found_one_by_one(cls: type[Body], fields: dict[str, Any]) -> None:
    answer = structure_fields(fields, cls)
    named = [(each.problem, each.field) for each in answer.errors] if isinstance(answer, Invalid) else []
    found = one_by_one(fields, cls)
    assert named[:1] == found[:1]
    assert sorted(named) == sorted(found)


@given(st.sampled_from([OrderReport, NewReply, SnippetReport]), st.data())
def test_the_converters_take_what_they_give(cls: Any, data: st.DataObject) -> None:
    for attribute in attrs.fields(cls):
        if attribute.converter is None:
            continue
        try:
            once = attribute.converter(data.draw(plausible | json_values, label=attribute.name))
        except (Invalid, TypeError):
            continue
        assert attribute.converter(once) == once


def test_a_fault_of_the_program_is_not_one_of_the_body() -> None:
    with pytest.raises(ZeroDivisionError):
        structure_body(b'{"number": 1}', Broken)


def test_scalars_are_shown_as_the_interface_writes_them() -> None:
    values = [NOON, State.SENT, SiteId("molen"), Path("a/b"), "é", 1, None, True]
    assert as_json(values) == ["2026-03-02T12:00:00.120Z", "sent", "molen", "a/b", "é", 1, None, True]


def test_a_new_order_is_shown_without_saying_that_it_is_no_duplicate() -> None:
    reported = ReportedOrder(invite_id="0190", scheduled_for=NOON, duplicate=False)
    assert as_text(reported) == '{"inviteId": "0190", "scheduledFor": "2026-03-02T12:00:00.120Z"}'
    known = attrs.evolve(reported, duplicate=True)
    assert as_text(known) == '{"inviteId": "0190", "scheduledFor": "2026-03-02T12:00:00.120Z", "duplicate": true}'


def test_a_change_and_a_reply_are_shown() -> None:
    change = Change(state=State.SCHEDULED, reason=Reason.REPORTED, at=NOON)
    assert as_text([ChangeShape.of(change)]) == (
        '[{"state": "scheduled", "reason": "reported", "at": "2026-03-02T12:00:00.120Z", "reply": null}]'
    )
    assert as_text(ReplyShape.of(Reply("Dank!", NOON))) == '{"text": "Dank!", "repliedAt": "2026-03-02T12:00:00.120Z"}'


def test_a_review_is_shown_flat_with_its_orders_number() -> None:
    shop = a_shop().numbered(1)
    review = a_review(
        an_invitation(shop),
        rating=4,
        text="Snel!",
        author=None,
        language=Language.EN,
        state=ReviewState.HIDDEN,
        hidden_for=HideReason.SPAM,
        reply=Reply("Dank!", NOON + timedelta(days=1)),
    )
    assert as_text(OperatorReview.of(review, "bakkerij-1", "1001")) == json.dumps(
        {
            "reviewId": review.review_id,
            "siteId": "bakkerij-1",
            "inviteId": review.invite_id,
            "orderNumber": "1001",
            "source": "unknown",
            "confirmed": True,
            "state": "hidden",
            "hiddenFor": "spam",
            "rating": 4,
            "text": "Snel!",
            "author": None,
            "language": "en",
            "writtenAt": "2026-03-02T12:00:00.120Z",
            "editedAt": None,
            "changedAt": "2026-03-02T12:00:00.120Z",
            "reply": {"text": "Dank!", "repliedAt": "2026-03-03T12:00:00.120Z"},
        }
    )


def test_members_keep_their_order_and_are_left_out_only_if_they_are_optional() -> None:
    assert as_text(Middle("a", "b", "c")) == '{"firstOfAll": "a", "inBetween": "b", "lastOfAll": "c"}'
    assert as_text(Middle("a")) == '{"firstOfAll": "a", "lastOfAll": null}'


def test_nothing_is_shown_but_shapes() -> None:
    with pytest.raises(TypeError, match="EmailAddress"):
        as_json(EmailAddress("anna@example.com"))
    with pytest.raises(TypeError, match="Invitation"):
        as_json([an_invitation(a_shop().numbered(1))])


def test_a_fault_is_known_by_its_first_and_keeps_the_others() -> None:
    first, second = Invalid(Problem.EMPTY, "email"), Invalid(Problem.TOO_LONG, "orderNumber")
    both = Invalid(Problem.EMPTY, "email", (second,))
    assert both == first
    assert hash(both) == hash(first)
    assert both.errors == (first, second)
    assert pickle.loads(pickle.dumps(both)).errors == (first, second)  # noqa: S301 - our own
    assert str(both) == "email: empty"
    match both:
        case Invalid(problem, field):
            assert (problem, field) == (Problem.EMPTY, "email")


def as_text(value: object) -> str:
    return json.dumps(as_json(value))
