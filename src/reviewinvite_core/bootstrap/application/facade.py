"""Base classes of the facade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewinvite_core.bootstrap.argument_types import CheckedArguments, complaint
from reviewinvite_core.bootstrap.findable_names import FindableNames
from reviewinvite_core.execution import UseCases
from reviewinvite_core.usecases.context import UnitContext

if TYPE_CHECKING:
    from reviewinvite_core.bootstrap.event_loop import AsyncUseCases


class Facade(FindableNames, CheckedArguments):
    """The calls of one capability, each in transactions of its own; an argument of a wrong type raises `TypeError`."""

    __slots__ = ("_use_cases",)

    def __init__(self, use_cases: UseCases[UnitContext]) -> None:
        """Do not call this; use `build`."""
        self._use_cases = use_cases


class AsyncFacade(FindableNames, CheckedArguments):
    """The calls of one capability as coroutines; concurrent writes share a commit. See `Facade`."""

    __slots__ = ("_use_cases",)

    def __init__(self, use_cases: AsyncUseCases) -> None:
        """Do not call this; `AsyncApplication` does."""
        self._use_cases = use_cases


def require_items(values: Sequence[object], kind: type, name: str) -> None:
    """Raise `TypeError`, naming the item, unless this is a sequence of values of this type."""
    if isinstance(values, str | bytes):
        raise TypeError(f"{name} must be a sequence of {kind.__name__}, not {type(values).__name__}")
    for index, value in enumerate(values):
        if not isinstance(value, kind):
            raise TypeError(complaint(f"{name}[{index}]", (kind,), value))
