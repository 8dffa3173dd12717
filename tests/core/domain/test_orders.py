"""What makes two reports the same order."""

from __future__ import annotations

import itertools
import re
import string
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.orders import (
    OrderReport,
    address_hash,
    dedup_key,
    number_for_customers,
    order_lock,
    order_number,
)
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.domain.timing import Delay
from reviewinvite_core.testing.builders import NOON, an_order_report

KEY, OTHER_KEY = bytes(range(32)), bytes(32)
SHOP = SiteId("bakkerij-1")

local_parts = st.text(string.ascii_letters + string.digits + "+_-", min_size=1, max_size=20)
order_numbers = st.none() | st.text(string.ascii_letters + string.digits + "-@. /", min_size=1, max_size=20).filter(
    str.strip
)
site_ids = st.text(string.ascii_letters + string.digits, min_size=1, max_size=12)


def key_of(email: str, number: str | None = "1001", *, shop: str = "bakkerij-1", key: bytes = KEY) -> bytes:
    return dedup_key(key, SiteId.parse(shop), an_order_report(email, order_number=number)).hash


def switched(text: str, choices: list[bool]) -> str:
    """The text with the case of some of its ASCII letters switched."""
    return "".join(each.swapcase() if switch else each for each, switch in zip(text, choices, strict=False))


@given(local=local_parts, number=order_numbers, data=st.data())
def test_case_and_blanks_around_make_no_other_order(local: str, number: str | None, data: st.DataObject) -> None:
    email = f"{local}@shop.example.com"
    choices = data.draw(st.lists(st.booleans(), min_size=len(email), max_size=len(email)))
    before, after = (data.draw(st.text(" \t", max_size=3)) for _ in range(2))
    written = before + switched(email, choices) + after
    padded = None if number is None else before + number + after
    assert key_of(written, padded) == key_of(email, number)
    assert address_hash(KEY, an_order_report(written).email) == address_hash(KEY, an_order_report(email).email)


@pytest.mark.parametrize(
    ("unicode_form", "ascii_form"),
    [
        ("anna@bücher.example", "anna@xn--bcher-kva.example"),
        ("anna@BÜCHER.example", "ANNA@XN--BCHER-KVA.EXAMPLE"),
        ("anna@bu\u0308cher.example", "anna@xn--bcher-kva.example"),  # u and a combining diaeresis
        ("anna@straße.nl", "anna@xn--strae-oqa.nl"),
        ("anna@例え.jp", "anna@xn--r8jz45g.jp"),
        ("anna@example。com", "anna@example.com"),  # the ideographic full stop
    ],
)
def test_both_forms_of_a_domain_are_one_customer(unicode_form: str, ascii_form: str) -> None:
    assert key_of(unicode_form) == key_of(ascii_form)


def triple(shop: str, email: str, number: str | None) -> tuple[str, str, str | None]:
    """Return what identifies an order, computed independently and without hashing."""
    lower = email.translate(str.maketrans(string.ascii_uppercase, string.ascii_lowercase))
    return shop, lower, None if number is None else number.strip()


@given(one=st.tuples(site_ids, local_parts, order_numbers), two=st.tuples(site_ids, local_parts, order_numbers))
def test_two_different_orders_are_never_joined(
    one: tuple[str, str, str | None], two: tuple[str, str, str | None]
) -> None:
    (shop, local, number), (other_shop, other_local, other_number) = one, two
    email, other_email = f"{local}@example.com", f"{other_local}@example.com"
    assume(triple(shop, email, number) != triple(other_shop, other_email, other_number))
    assert key_of(email, number, shop=shop) != key_of(other_email, other_number, shop=other_shop)


def test_parts_cannot_be_shifted_from_one_field_to_the_next() -> None:
    orders = [
        ("ab", "c@example.com", "d"),
        ("a", "bc@example.com", "d"),
        ("ab", "c@example.co", "md"),
        ("abc", "c@example.com", "d"),
        ("ab", "c@example.comd", None),
        ("ab", "c@example.com", None),
        ("ab", "c@example.com", "None"),
        ("ab", "c@example.com", "null"),
        ("ab", "c@example.com", "0"),
        ("ab", "c@example.com", "d d"),
        ("ab", "c@example.com", "d  d"),
        ("ab", "c@example.com", "D"),
        ("AB", "c@example.com", "d"),
    ]
    assert len({key_of(email, number, shop=shop) for shop, email, number in orders}) == len(orders)


def test_dots_and_plus_tags_make_other_customers() -> None:
    addresses = ["ab@gmail.com", "a.b@gmail.com", "ab+x@gmail.com", "ab+y@gmail.com", "ab@googlemail.com"]
    assert len({key_of(address) for address in addresses}) == len(addresses)


@pytest.mark.parametrize("local", ["İ", "ı", "ß", "\u212a", "ſ", "ä", "a\u0301", "\uff41"])  # noqa: RUF001 - on purpose
def test_letters_that_case_folding_would_join_are_refused_before_the_at(local: str) -> None:
    with pytest.raises(Invalid) as caught:
        an_order_report(f"{local}@example.com")
    assert caught.value == Invalid(Problem.INVALID_ADDRESS, "email")


def test_domains_that_case_folding_would_join_are_two() -> None:
    for one, two in [("straße.nl", "strasse.nl"), ("fıne.nl", "fine.nl"), ("i\u0307.nl", "i.nl")]:  # noqa: RUF001 - on purpose
        assert key_of(f"anna@{one}") != key_of(f"anna@{two}")


def test_order_numbers_are_compared_as_they_are_written() -> None:
    numbers = ["straße", "strasse", "STRASSE", "K", "\u212a", "é", "e\u0301", "1", "01", "1.0"]
    keys = {key_of("anna@example.com", number) for number in numbers}
    assert len(keys) == len(numbers)


def test_without_the_ring_a_key_tells_nothing() -> None:
    assert key_of("anna@example.com") != key_of("anna@example.com", key=OTHER_KEY)
    assert len(key_of("anna@example.com")) == 16


def test_an_address_hash_is_no_dedup_key_even_under_one_key() -> None:
    report = an_order_report(order_number=None)
    assert address_hash(KEY, report.email) != dedup_key(KEY, SHOP, report).hash


def test_a_dedup_key_shows_no_hash_in_a_log() -> None:
    key = dedup_key(KEY, SHOP, an_order_report())
    assert repr(key.hash) not in repr(key)
    assert repr(key) == "DedupKey(numbered=True)"


def test_only_an_unnumbered_order_can_be_another_one_later() -> None:
    numbered, unnumbered = (dedup_key(KEY, SHOP, an_order_report(order_number=each)) for each in ("1", None))
    assert numbered.same_order_since(NOON) is None
    assert unnumbered.same_order_since(NOON) == NOON - timedelta(days=60)


def test_a_report_takes_plain_values_and_holds_valid_ones() -> None:
    report = OrderReport(email=" Anna@Example.COM\t", order_number=" 1001 ", language="en", delay_days=1.5)
    assert report.email.text == "Anna@example.com"
    assert report.order_number == "1001"
    assert report.language is Language.EN
    assert report.delay_days == Delay(129_600_000)
    again = OrderReport(email=report.email, language=report.language, delay_days=report.delay_days)
    assert (again.email, again.language, again.delay_days) == (report.email, report.language, report.delay_days)


@pytest.mark.parametrize(
    ("fields", "field", "problem"),
    [
        ({"email": 5}, "email", Problem.WRONG_TYPE),
        ({"email": None}, "email", Problem.WRONG_TYPE),
        ({"email": "no address"}, "email", Problem.INVALID_ADDRESS),
        ({"order_number": 1001}, "order_number", Problem.WRONG_TYPE),
        ({"order_number": "x" * 129}, "order_number", Problem.TOO_LONG),
        ({"order_number": "x" * 10_000}, "order_number", Problem.TOO_LONG),
        ({"order_number": "a\nb"}, "order_number", Problem.FORBIDDEN_CHARACTERS),
        ({"language": "de"}, "language", Problem.UNKNOWN_LANGUAGE),
        ({"language": "NL"}, "language", Problem.UNKNOWN_LANGUAGE),
        ({"language": ""}, "language", Problem.UNKNOWN_LANGUAGE),
        ({"language": 1}, "language", Problem.WRONG_TYPE),
        ({"delay_days": "5"}, "delay_days", Problem.WRONG_TYPE),
        ({"delay_days": True}, "delay_days", Problem.WRONG_TYPE),
        ({"delay_days": 61}, "delay_days", Problem.OUT_OF_RANGE),
    ],
)
def test_a_report_names_the_field_that_is_wrong_and_never_its_value(
    fields: dict[str, Any], field: str, problem: Problem
) -> None:
    with pytest.raises(Invalid) as caught:
        OrderReport(**{"email": "anna@example.com", **fields})
    assert caught.value == Invalid(problem, field)
    assert str(caught.value) == f"{field}: {problem}"


@pytest.mark.parametrize("empty", ["", " ", " \t\n", "\u00a0"])
def test_an_empty_order_number_is_the_same_order_as_none(empty: str) -> None:
    given_, without = an_order_report(order_number=empty), an_order_report(order_number=None)
    assert dedup_key(KEY, SHOP, given_) == dedup_key(KEY, SHOP, without)
    assert order_lock(given_) == order_lock(without)
    assert given_.order_number == ""
    with pytest.raises(Invalid):  # a list of the orders with no number cannot be asked for
        order_number(empty)


def test_an_order_number_may_have_128_characters_of_any_script() -> None:
    for number in ("x" * 128, "🎁" * 128, "٣" * 128):
        assert order_number(f" {number} ") == number


def test_reports_that_are_equal_are_equal_values() -> None:
    for one, two in itertools.pairwise([an_order_report("ANNA@EXAMPLE.COM".lower()), an_order_report()]):
        assert one == two
        assert hash(one) == hash(two)


def test_a_report_does_not_show_the_address_in_a_log() -> None:
    report = an_order_report("anna@example.com")
    assert "anna" not in f"{report!r} {report} {report.email!r} {report.email}"


@pytest.mark.parametrize(
    "number", ["1", "2026-0193", "#1001", "2026/01/0193", "INV.2026", "A_1", "2026.01.02.0193", "9" * 32, "1.a2.3b"]
)
def test_customers_see_what_certainly_is_a_number(number: str) -> None:
    assert number_for_customers(number) == number


@pytest.mark.parametrize(
    "number",
    [
        *(None, "", "9" * 33, "order", "1 2", "1\n", "№1", "\uff11", "1!", "1@b", "1:2", "1,2"),
        *("1.nl", "1.nl/", "1.NL", "a/1.nl", "1#evil.com", "1_evil.com", "1-evil.com", "evil.com-1", "evil.com_1"),
        *("evil.com.1", "1.evil.com.", "1..com", "evil.xn--p1ai", "1.XN--P1AI.2", "2026.b", "1.co-op"),
        *("1.2.3.4", "0-1.2.3.4", "1.2.3.4.5", "300.1.2.3.4", "a1.2.3.4/9"),
        "1. Your parcel is HELD. Pay EUR 1.99 at https://evil-parcel.example/pay",
    ],
)
def test_customers_see_no_message_and_no_host_in_a_number(number: str | None) -> None:
    assert number_for_customers(number) is None


@given(st.text(string.ascii_letters + string.digits + "._#/-", min_size=1, max_size=32))
def test_no_number_that_customers_see_holds_a_host_wherever_a_program_splits_it(number: str) -> None:
    if number_for_customers(number) is None:
        return
    for part in re.split("[#/_-]", number):
        labels = part.split(".")
        assert not any(label.isalpha() for before, label in itertools.pairwise(labels) if before), number
        runs = (labels[place : place + 4] for place in range(len(labels)))
        assert not any(len(run) == 4 and all(each.isdecimal() and int(each) <= 255 for each in run) for run in runs)


@given(st.sampled_from([".nl", ".co-op", ".xn--p1ai", ".com.", ".com/7", ".com_7"]), st.text("a1-_", min_size=1))
def test_customers_see_no_host_whatever_surrounds_it(end: str, before: str) -> None:
    assert number_for_customers(f"1{before}{end}") is None
    assert number_for_customers(f"1/{before}{end}#9") is None
