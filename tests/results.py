"""What a test expects of a call whose refusals are results."""

from __future__ import annotations

from typing import TypeVar

from reviewinvite_core.domain.errors import Refusal

T = TypeVar("T")


def accepted(result: T | Refusal) -> T:
    """Return the result of a call that was not refused; fail the test otherwise."""
    assert not isinstance(result, Refusal), result
    return result
