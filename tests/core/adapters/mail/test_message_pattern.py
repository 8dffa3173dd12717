"""Letters rendered through a pattern: the bytes are those of each letter rendered by itself."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import attrs
import pytest
from hypothesis import example, given, strategies as st
from tests.core.adapters.mail.rendering import LETTER, SENDER

from reviewinvite_core.adapters.mail.message_pattern import BodyPattern, place, quoted_printable
from reviewinvite_core.adapters.mail.render import TemplateRenderer
from reviewinvite_core.ports import Letter, Message, NotRenderable

RENDERER = TemplateRenderer(SENDER)
PLACES = [place("number"), place("review_url"), "\ue000", "\ue001", "%(number)s", "%", "%%", "{{ shop }}"]
ODD = ["<b>&\"'</b>", "=3D", ".", "\u202eمحل", "\u2067a\u2069b\u2069", "Söhne", "寿司", "🎁", "\u2028", "x" * 80, " "]
BEYOND_DOMAIN = ["\r\n", "\n", "\0", "\ud800"]

texts = st.lists(st.sampled_from(PLACES + ODD + BEYOND_DOMAIN) | st.text(max_size=90), max_size=4).map("".join)
lengths = st.integers(min_value=0, max_value=160).map("x".__mul__)  # to end a line at every column
origins = st.sampled_from(
    [
        *(
            "https://reviews.example.com",
            "http://127.0.0.1:8000",
            "https://r.example/a%20b/&c'd",
            "https://xn--bcher.nl",
        ),
        *("https://Reviews.Example.COM", "http://[::1]:8000", "https://user@r.example", "https://bücher.nl", ""),
        *("https://r.example\n", 'https://r.example?x="y"', f"https://{place('number')}.example", "mailto:x"),
    ]
)
links = st.builds("{}/{}{}".format, origins, st.sampled_from(["r/", "u/", place("unsubscribe_url"), "\n"]), lengths)
parts_of_letters: dict[str, st.SearchStrategy[Any]] = {
    "invite_id": texts,
    "recipient": st.sampled_from(["Anna@BÜCHER.nl", "anna", "a@example.com\r\nBcc: b@example.com"]),
    "shop_name": texts | lengths,
    "order_number": st.none() | texts | lengths,
    "reply_to": st.sampled_from(["", "vragen@example.com", "vragen"]),
    "language": st.sampled_from(["en", "tlh"]),
    "review_url": links,
    "unsubscribe_url": links,
    "written_at": st.datetimes(timezones=st.just(UTC)),
}


def letter_with(changes: dict[str, Any]) -> Letter:
    return attrs.evolve(LETTER, **changes)


letters = st.fixed_dictionaries({}, optional=parts_of_letters).map(letter_with)


def alone(letter: Letter) -> Message | None:
    try:
        return RENDERER.render_alone(letter)
    except NotRenderable:
        return None


def by_pattern(letter: Letter) -> Message | None:
    try:
        return RENDERER.render(letter)
    except NotRenderable:
        return None


@given(letters)
@example(attrs.evolve(LETTER, order_number=place("review_url")))
@example(attrs.evolve(LETTER, order_number="100%(number)s"))
@example(attrs.evolve(LETTER, shop_name=f"Shop {place('number')}"))
@example(attrs.evolve(LETTER, order_number="1\r\n2"))
@example(attrs.evolve(LETTER, order_number="<b>&'\"</b>"))
@example(attrs.evolve(LETTER, review_url='https://reviews.example.com/r/"x&y'))
def test_a_message_is_the_same_as_without_a_pattern(letter: Letter) -> None:
    assert by_pattern(letter) == alone(letter)


@pytest.mark.parametrize("operator", ["Molen & Zoon B.V.", "محل", place("number"), "\ue000"])
def test_an_operators_name_is_no_place(operator: str) -> None:
    renderer = TemplateRenderer(SENDER, operator)
    assert renderer.render(LETTER) == renderer.render_alone(LETTER)


@pytest.mark.parametrize("field", ["order_number", "review_url", "unsubscribe_url", "shop_name"])
def test_a_line_is_folded_at_the_same_column_whatever_its_length(field: str) -> None:
    before = getattr(LETTER, field)
    for length in range(160):
        letter = letter_with({field: before + "x" * length})
        assert by_pattern(letter) == alone(letter) is not None


def test_letters_of_one_kind_share_a_pattern_and_no_value() -> None:
    renderer = TemplateRenderer(SENDER)
    first = renderer.render(LETTER)
    other = attrs.evolve(
        LETTER,
        invite_id="019cadd4-cbc8-73c1-9e5f-0a94c27d3b87",
        recipient="bert@example.com",
        order_number="2026-0194",
        review_url=f"{LETTER.review_url}2",
        unsubscribe_url=f"{LETTER.unsubscribe_url}2",
    )
    second = renderer.render(other)
    assert renderer._pattern.cache_info().misses == 1
    assert second == RENDERER.render_alone(other)
    assert (first, second) == (renderer.render(LETTER), renderer.render(other))
    assert b"2026-0193" not in second.content
    assert b"anna" not in second.content


@pytest.mark.parametrize(
    "changes",
    [
        {"shop_name": "Slagerij"},
        {"language": "en"},
        {"reply_to": "vragen@example.com"},
        {"order_number": None},
        {"review_url": "https://other.example/r/x"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_shapes_the_text_has_a_pattern_of_its_own(changes: dict[str, Any]) -> None:
    renderer = TemplateRenderer(SENDER)
    renderer.render(LETTER)
    letter = letter_with(changes)
    assert renderer.render(letter) == RENDERER.render_alone(letter)
    assert renderer._pattern.cache_info().currsize == 2


def test_patterns_of_shops_that_send_nothing_any_more_are_dropped() -> None:
    renderer = TemplateRenderer(SENDER)
    most = renderer._pattern.cache_info().maxsize
    assert most is not None
    for number in range(most + 1):
        renderer.render(attrs.evolve(LETTER, shop_name=f"Shop {number}"))
    assert renderer._pattern.cache_info().currsize == most


@given(st.text("ab .=é\n\t%", max_size=300), st.text("ab .=é\t%(number)s\ue000", max_size=100))
def test_a_body_is_encoded_line_by_line_as_it_would_be_at_once(text: str, value: str) -> None:
    pattern = BodyPattern.of(f"{text}{place('number')}{text}", escape=str)
    assert pattern.fill({"number": value}) == quoted_printable(f"{text}{value}{text}")
