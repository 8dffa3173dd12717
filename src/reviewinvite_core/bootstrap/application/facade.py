"""What the classes of the facade share: how they call use cases, and names that are easy to find."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from reviewinvite_core.execution import UseCases
from reviewinvite_core.usecases.context import UnitContext

if TYPE_CHECKING:
    from reviewinvite_core.bootstrap.event_loop import AsyncUseCases


class FindableNames:
    """Lists public names alone, and suggests one in place of a name that does not exist."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        return sorted(name for name in super().__dir__() if not name.startswith("_"))

    if not TYPE_CHECKING:  # or a type checker would take any name for granted

        def __getattr__(self, name: str) -> object:
            raise AttributeError(_unknown(self, name) if not name.startswith("_") else name)


class Facade(FindableNames):
    """The calls of one capability; each is a transaction of its own."""

    __slots__ = ("_use_cases",)

    def __init__(self, use_cases: UseCases[UnitContext]) -> None:
        """Not for you to call: `build` makes it."""
        self._use_cases = use_cases


class AsyncFacade(FindableNames):
    """The calls of one capability, to be awaited; concurrent ones share a commit."""

    __slots__ = ("_use_cases",)

    def __init__(self, use_cases: AsyncUseCases) -> None:
        """Not for you to call: `AsyncApplication` makes it."""
        self._use_cases = use_cases


def _unknown(instance: FindableNames, name: str) -> str:
    """Return what is wrong with a name, and what there is."""
    there = dir(instance)
    closest = get_close_matches(name, _spellings(instance), n=1, cutoff=0.7)
    hint = f" Did you mean {_spellings(instance)[closest[0]]}?" if closest else ""
    return f"{type(instance).__name__} has no attribute {name!r}.{hint} It has: {', '.join(there)}."


def _spellings(instance: FindableNames) -> dict[str, str]:
    """Return what somebody may type, and the name that is meant: also `report_order` for `orders.report`."""
    spellings = {}
    for name in dir(instance):
        spellings[name] = name
        capability = getattr(instance, name) if not callable(getattr(type(instance), name, None)) else None
        if isinstance(capability, Facade | AsyncFacade):
            for method in dir(capability):
                spellings[f"{method}_{name.removesuffix('s')}"] = f"{name}.{method}"
    return spellings
