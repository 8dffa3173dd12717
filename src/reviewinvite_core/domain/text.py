"""Rules for texts that people read: order numbers, shop names, labels and reviews."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from reviewinvite_core.domain.errors import Invalid, Problem

_BIDIRECTIONAL_FORMATTING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ISOLATES, _END_OF_ISOLATE = frozenset("\u2066\u2067\u2068"), "\u2069"
# Characters that render as nothing: Hangul fillers, variation selectors and the Braille blank.
_DRAWN_AS_NOTHING = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))

_TERMINAL_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escape_controls(text: str, escape: Callable[[str], str] = lambda character: f"\\u{ord(character):04x}") -> str:
    """Return `text` with those characters escaped that move a terminal's cursor or change the direction of text.

    These are C0, DEL, C1, line separators and bidirectional formatting. Escaped JSON is still the same JSON.
    """
    if text.isascii() and text.isprintable():
        return text
    return _TERMINAL_CONTROLS.sub(lambda found: escape(found[0]), text)


def short_text(value: str, field: str, *, longest: int, bidirectional: bool = False) -> str:
    """Return `value` stripped: 1 to `longest` characters, no control characters.

    Bidirectional formatting characters are allowed only with `bidirectional`: in an identifier they could make two
    different texts look the same.

    Raises: `Invalid` naming `field`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, field)
    text = value.strip()
    if not text:
        raise Invalid(Problem.EMPTY, field)
    if len(text) > longest:
        raise Invalid(Problem.TOO_LONG, field)
    if text.isascii() and text.isprintable():
        return text
    for character in text:
        if unicodedata.category(character) in {"Cc", "Cs"}:
            raise Invalid(Problem.FORBIDDEN_CHARACTERS, field)
        if not bidirectional and character in _BIDIRECTIONAL_FORMATTING:
            raise Invalid(Problem.FORBIDDEN_CHARACTERS, field)
    return text


def long_text(value: str, field: str, *, longest: int) -> str | None:
    r"""Return `value` stripped, up to `longest` characters, with line breaks as `\n`; None if it is empty.

    Other control characters are refused. Text without a visible character counts as empty.

    Raises: `Invalid` naming `field`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, field)
    text = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(text) > longest:
        raise Invalid(Problem.TOO_LONG, field)
    if any(character != "\n" and unicodedata.category(character) in {"Cc", "Cs"} for character in text):
        raise Invalid(Problem.FORBIDDEN_CHARACTERS, field)
    return text if shows_something(text) else None


def one_line(value: str, field: str, *, longest: int) -> str | None:
    """Return `value` stripped, up to `longest` characters on one line; None if it is empty.

    Control and bidirectional formatting characters are refused. Text without a visible character counts as empty.

    Raises: `Invalid` naming `field`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, field)
    if not value.strip():
        return None
    text = short_text(value, field, longest=longest)
    if any(unicodedata.category(character) in {"Zl", "Zp"} for character in text):
        raise Invalid(Problem.FORBIDDEN_CHARACTERS, field)
    return text if shows_something(text) else None


def unbalanced_isolate(text: str) -> str | None:
    """Return a character that begins or ends an isolate without its counterpart, or None.

    Such a text turns what follows it, or ends an isolate that it stands in. Unicode UAX #9.
    """
    begun: list[str] = []
    for character in text:
        if character in _ISOLATES:
            begun.append(character)
        elif character == _END_OF_ISOLATE:
            if not begun:
                return character
            begun.pop()
    return begun[0] if begun else None


def shows_something(text: str) -> bool:
    """Return whether one of the characters is visible."""
    return any(
        unicodedata.category(character) not in {"Cc", "Cf", "Zl", "Zp", "Zs"} and character not in _DRAWN_AS_NOTHING
        for character in text
    )
