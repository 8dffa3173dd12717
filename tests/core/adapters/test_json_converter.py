"""JSON to the domain's classes and back: strictly in, by name out, and all that is wrong in one answer."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import pytest
from hypothesis import example, given, strategies as st
from tests.builders import an_invitation

from reviewinvite_core import Invalid, NewReply, OrderReport, SiteId, SnippetReport, State
from reviewinvite_core.testing.builders import NOON, a_shop
from reviewinvite_core.values import EmailAddress, Problem
from reviewinvite_core.wire.json_converter import NoFields, as_json, decode_object, structure_body, structure_fields
from reviewinvite_core.wire.shape import Shape, about

Body: TypeAlias = OrderReport | SnippetReport | NewReply


@attrs.frozen
class Middle(Shape):
    first_of_all: str
    in_the_middle: str | None = attrs.field(default=None, metadata=about(optional=True))
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


def test_of_many_unknown_fields_the_first_hundred_are_named() -> None:
    body: dict[str, object] = {**{f"x{number}": 1 for number in range(2_000)}, "delayDays": 61}
    named = [field for _, field in faults(body)]
    assert named == [*(f"x{number}" for number in range(100)), "email", "delayDays"]


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


def test_members_keep_their_order_and_are_left_out_only_if_they_are_optional() -> None:
    assert as_text(Middle("a", "b", "c")) == '{"firstOfAll": "a", "inTheMiddle": "b", "lastOfAll": "c"}'
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
