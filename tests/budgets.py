"""Parameters by which a test repeats more, or tries more cases, in `nox -s full` and in `nox -s soak`."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def in_full(*values: object, id: str | None = None) -> object:  # noqa: A002 - as `pytest.param` names it
    """Return a parameter set that only `nox -s full` runs."""
    return pytest.param(*values, marks=pytest.mark.full, id=id)


def others_in_full(values: Iterable[object], *representatives: object) -> list[object]:
    """Return values for one parameter; only `nox -s full` runs those that are not among the representatives.

    Raise ValueError for a representative that is not a value: `nox` would leave out the rule that it stands for.
    """
    listed = list(values)
    unknown = [each for each in representatives if each not in listed]
    if unknown or not representatives:
        raise ValueError(f"no representative, or not one of the values: {unknown}")
    return [value if value in representatives else in_full(value) for value in listed]


def in_soak(*values: object, id: str | None = None) -> object:  # noqa: A002 - as `pytest.param` names it
    """Return a parameter set that only `nox -s soak` runs."""
    return pytest.param(*values, marks=pytest.mark.soak, id=id)
