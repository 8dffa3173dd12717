"""Refusals as exceptions, for callers that prefer them. ADR-2, ADR-41."""

from __future__ import annotations

from typing import TypeVar, cast, get_args

import attrs

from reviewinvite_core.domain.errors import Invalid, Refusal

T = TypeVar("T")

_REFUSALS = frozenset(get_args(Refusal))


class Refused(Exception):
    """A call was refused; `refusal` is what it returned."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal

    def __str__(self) -> str:
        """Return the refusal in words, with its data: `shop unknown (site id: bakery)`."""
        if isinstance(self.refusal, Invalid):
            return f"invalid ({self.refusal})"
        name = "".join(f" {each.lower()}" if each.isupper() else each for each in type(self.refusal).__name__)
        values = attrs.asdict(self.refusal, recurse=False).items()
        data = ", ".join(f"{field.replace('_', ' ')}: {value}" for field, value in values)
        return f"{name.strip()} ({data})" if data else name.strip()


def accepted(answer: T | Refusal) -> T:
    """Return the answer of a call, unless it is a refusal.

    Raises: `Refused`.
    """
    if type(answer) in _REFUSALS:  # `isinstance` would ask each of them, for every answer
        raise Refused(cast("Refusal", answer))
    return cast("T", answer)
