"""What a short text that people read may hold: the rule shared by order numbers, shop names and labels."""

from __future__ import annotations

import unicodedata

from reviewinvite_core.domain.errors import Invalid, Problem

_BIDIRECTIONAL_FORMATTING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def short_text(value: str, field: str, *, longest: int, bidirectional: bool = False) -> str:
    """`value` without the blanks around it: 1 to `longest` characters, none of them a control character.

    Bidirectional formatting characters pass only where `bidirectional` allows them: in an identifier they would
    make two different texts look the same.

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
