"""The languages of texts for customers: every language that has a catalogue (ADR-37)."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from reviewinvite_core.domain.errors import Invalid, Problem

CATALOGUES = Path(__file__).parents[1] / "locale"
"""Folder of the catalogues, with one subfolder for each language, named by its BCP 47 tag."""


def _tags() -> list[str]:
    """Return the tags of the languages that have a catalogue, compiled (`.mo`) or not (`.po`)."""
    return sorted({path.parts[-3] for path in CATALOGUES.glob("*/LC_MESSAGES/reviewinvite.[pm]o")})


class Language(StrEnum):
    """A language for customers: Dutch (the default), English, or another with a catalogue. Spec: §2, §8."""

    _ignore_ = ["members", "tag"]  # noqa: RUF012

    NL = "nl"
    EN = "en"

    members = vars()
    for tag in _tags():
        if tag not in (NL, EN):
            members[tag.upper().replace("-", "_")] = tag

    @classmethod
    def parse(cls, value: str) -> Language:
        """Return the language with this tag.

        Raises: `Invalid` for any other text, including a tag in other letter case.
        """
        try:
            return cls(value)
        except ValueError:
            raise Invalid(Problem.UNKNOWN_LANGUAGE, "language") from None


def to_language(value: str | Language) -> Language:
    """Return `value` itself, or the language with this tag.

    Raises: `Invalid`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, "language")
    return Language.parse(value)
