"""What short texts may hold: order numbers, shop names, labels."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.orders import order_number
from reviewinvite_core.domain.shop import SiteId, forbidden_in_name, shop_name
from reviewinvite_core.domain.text import short_text

CONTROL = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))]
SURROGATES = [chr(0xD800), chr(0xDFFF)]
BIDIRECTIONAL = list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@pytest.mark.parametrize("character", [*CONTROL, *BIDIRECTIONAL, *SURROGATES], ids=lambda c: f"U+{ord(c):04X}")
def test_no_control_or_bidirectional_formatting_character_is_in_an_order_number(character: str) -> None:
    with pytest.raises(Invalid) as caught:
        order_number(f"10{character}01")
    assert caught.value == Invalid(Problem.FORBIDDEN_CHARACTERS, "order_number")


def test_the_bidirectional_formatting_characters_are_those_of_unicode() -> None:
    classes = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    by_class = {chr(code) for code in range(0x110000) if unicodedata.bidirectional(chr(code)) in classes}
    assert by_class | {"\u061c", "\u200e", "\u200f"} == set(BIDIRECTIONAL)  # and the three marks


OVERRIDES = {"\u202d", "\u202e"}


ISOLATES = set("\u2066\u2067\u2068\u2069")


@pytest.mark.parametrize("character", [each for each in BIDIRECTIONAL if each not in OVERRIDES | ISOLATES])
def test_a_shops_name_may_be_in_a_script_that_runs_both_ways(character: str) -> None:
    assert shop_name(f"מאפייה {character}Bakery") == f"מאפייה {character}Bakery"


@pytest.mark.parametrize(
    "name", ["\u2067مخبز\u2069", "א\u2066b\u2068c\u2069\u2069d", "\u2068a\u2069\u2067ב\u2069"], ids=ascii
)
def test_isolates_in_a_shops_name_have_their_ends(name: str) -> None:
    assert shop_name(name) == name


@pytest.mark.parametrize(
    ("name", "character"),
    [
        ("Bakery \u2067", "\u2067"),
        ("\u2069Bakery", "\u2069"),
        ("\u2069Bakery\u2067", "\u2069"),
        ("\u2066a\u2068b\u2069", "\u2066"),
        ("a\u202eb", "\u202e"),
        ("a\x07b", "\x07"),
    ],
    ids=ascii,
)
def test_a_shops_name_turns_nothing_around_it(name: str, character: str) -> None:
    assert forbidden_in_name(name) == character
    with pytest.raises(Invalid) as caught:
        shop_name(name)
    assert caught.value == Invalid(Problem.FORBIDDEN_CHARACTERS, "name")


@given(st.text("a\u2066\u2067\u2068\u2069").map(lambda text: f"א{text}"))
def test_the_isolates_of_a_shops_name_cancel_each_other(name: str) -> None:
    left = re.sub("[aא]", "", name)
    while left != (left := re.sub("[\u2066\u2067\u2068]\u2069", "", left)):
        pass
    assert (forbidden_in_name(name) is None) is (left == "")


@pytest.mark.parametrize("character", [*CONTROL, *SURROGATES, *sorted(OVERRIDES)], ids=lambda c: f"U+{ord(c):04X}")
def test_no_control_character_or_override_is_in_a_shops_name(character: str) -> None:
    with pytest.raises(Invalid) as caught:
        shop_name(f"Bak{character}ker")
    assert caught.value == Invalid(Problem.FORBIDDEN_CHARACTERS, "name")


@pytest.mark.parametrize("nothing", ["\u200b", "\u2060\ufeff", "\u00ad", "\u3164", "\u2067 \u2069"], ids=ascii)
def test_a_shops_name_can_be_seen(nothing: str) -> None:
    with pytest.raises(Invalid) as caught:
        shop_name(nothing)
    assert caught.value == Invalid(Problem.EMPTY, "name")
    with pytest.raises(Invalid) as caught:
        shop_name(f"x{nothing}x")
    assert caught.value == Invalid(Problem.FORBIDDEN_CHARACTERS, "name")


@pytest.mark.parametrize("joined", ["کتاب\u200cفروشی", "ක්\u200dෂ"], ids=ascii)
def test_a_shops_name_keeps_the_joiners_that_its_script_needs(joined: str) -> None:
    assert shop_name(joined) == joined
    assert forbidden_in_name(f"Bak{joined[3:4]}\u200cker") == "\u200c"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        *((f"Mo{each}len", each) for each in "\u2028\u2029\u200b\u200c\u200d\u200e\u2066\u2069\ufe0f\U000e0041"),
        ("A\ufdd0\u200cb", "\u200c"),
        ("De Molen support@paypal.com", "@"),
        ("De Molen \uff20paypal", "@"),
        ("https://de-molen", "://"),
        ("https\uff1a\uff0f\uff0fde-molen", "://"),
    ],
    ids=ascii,
)
def test_a_shops_name_has_nothing_unseen_and_is_no_address(name: str, found: str) -> None:
    assert forbidden_in_name(name) == found
    with pytest.raises(Invalid) as caught:
        shop_name(name)
    assert caught.value == Invalid(Problem.FORBIDDEN_CHARACTERS, "name")


@pytest.mark.parametrize(("check", "longest"), [(order_number, 128), (shop_name, 300)])
def test_a_text_is_as_long_as_it_may_be_and_no_longer(check: Callable[[str], str], longest: int) -> None:
    for character in "x🎁":
        assert check(character * longest) == character * longest
        assert check(" " * 50 + character * longest + " " * 50) == character * longest
        with pytest.raises(Invalid) as caught:
            check(character * (longest + 1))
        assert caught.value.problem is Problem.TOO_LONG


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u00a0\u3000", " " * 500])
def test_a_text_of_blanks_is_empty(blank: str) -> None:
    with pytest.raises(Invalid) as caught:
        order_number(blank)
    assert caught.value == Invalid(Problem.EMPTY, "order_number")


@pytest.mark.parametrize("value", [None, 1001, 1.0, True, b"1001", ["1001"]])
def test_only_a_text_is_a_text(value: Any) -> None:
    with pytest.raises(Invalid) as caught:
        short_text(value, "label", longest=9)
    assert caught.value == Invalid(Problem.WRONG_TYPE, "label")


@given(st.text())
def test_what_passes_is_trimmed_and_passes_again_unchanged(value: str) -> None:
    try:
        text = order_number(value)
    except Invalid:
        return
    assert text == value.strip()
    assert 1 <= len(text) <= 128
    assert not set(text) & {*CONTROL, *BIDIRECTIONAL}
    assert order_number(text) == text


@pytest.mark.parametrize("site_id", ["a", "A-1_b", "7", "x" * 64, "bakkerij-de-molen"])
def test_site_ids_are_of_letters_digits_hyphen_and_underscore(site_id: str) -> None:
    parsed = SiteId.parse(site_id)
    assert parsed.text == str(parsed) == parsed == site_id
    assert type(parsed.text) is str


@pytest.mark.parametrize(
    "site_id", ["-a", "a-", "_", "a b", "a\n", "\na", "a/b", "../x", "é", "٣", "a.js", "a\0", "\udc80", "%61"]
)
def test_other_site_ids_are_refused(site_id: str) -> None:
    with pytest.raises(Invalid) as caught:
        SiteId.parse(site_id)
    assert caught.value == Invalid(Problem.FORBIDDEN_CHARACTERS, "site_id")


def test_a_long_site_id_is_refused_as_too_long() -> None:
    assert SiteId.parse("x" * 64).text == "x" * 64
    with pytest.raises(Invalid) as caught:
        SiteId.parse("x" * 65)
    assert caught.value == Invalid(Problem.TOO_LONG, "site_id")


def test_an_empty_site_id_is_refused_as_empty() -> None:
    with pytest.raises(Invalid) as caught:
        SiteId.parse("")
    assert caught.value == Invalid(Problem.EMPTY, "site_id")
