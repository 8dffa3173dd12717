"""The languages an invitation is written in."""

from __future__ import annotations

from enum import StrEnum

from reviewinvite_core.domain.errors import Invalid, Problem


class Language(StrEnum):
    """Dutch (the default) or English. Spec: §2, §8."""

    NL = "nl"
    EN = "en"

    @classmethod
    def parse(cls, value: str) -> Language:
        """The language with this code.

        Raises: `Invalid` for any other code, also for one in other letter case.
        """
        try:
            return cls(value)
        except ValueError:
            raise Invalid(Problem.UNKNOWN_LANGUAGE, "language") from None


def to_language(value: str | Language) -> Language:
    """`value` itself, or the language with this code.

    Raises: `Invalid`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, "language")
    return Language.parse(value)
