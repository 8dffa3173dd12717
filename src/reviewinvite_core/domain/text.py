"""Rules for texts that people read: order numbers, shop names, labels and reviews."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from reviewinvite_core.domain.errors import Invalid, Problem

_BIDIRECTIONAL_FORMATTING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ISOLATES, _END_OF_ISOLATE = frozenset("\u2066\u2067\u2068"), "\u2069"
# Characters that render as nothing: the default-ignorable ones of Unicode, and the Braille blank.
_DRAWN_AS_NOTHING = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINERS = "\u200c\u200d"

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
        unicodedata.category(character) not in {"Cc", "Cf", "Zl", "Zp", "Zs"}
        and not _DRAWN_AS_NOTHING.fullmatch(character)
        for character in text
    )


def drawn_as_nothing(text: str) -> str | None:
    """Return a character that nobody sees, so that it makes a text another one that looks the same; None without any.

    Two kinds change what is seen, and are part of texts: the joiners where a script needs them (RFC 5892, appendix A),
    as in Persian, and bidirectional formatting beside letters that run from right to left.
    """
    runs_both_ways = any(each.isalpha() and unicodedata.bidirectional(each) in {"R", "AL"} for each in text)
    for found in _DRAWN_AS_NOTHING.finditer(text):
        if found[0] in _BIDIRECTIONAL_FORMATTING and runs_both_ways:
            continue
        if found[0] not in _JOINERS or not _is_joined(text, found.start()):
            return found[0]
    return None


def _is_joined(text: str, place: int) -> bool:
    from idna import valid_contextj  # slow to import, and few texts need it

    try:
        return valid_contextj(text, place)
    except ValueError:  # after a character without a name
        return False
