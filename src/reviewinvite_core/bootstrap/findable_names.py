"""Objects whose attributes are easy to find: they list the public ones, and suggest one for a wrong name."""

from __future__ import annotations

from typing import TYPE_CHECKING

_UNLISTED = {"__dir__", "__getattr__", "__init_subclass__", "__dict__", "__weakref__"}


class _Listing(type):
    """Hides from `dir` and `help` of a class the methods that find names and check arguments."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in _UNLISTED]


class FindableNames(metaclass=_Listing):
    """Lists only its public attributes, and suggests one of them if an attribute does not exist."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        return sorted(name for name in super().__dir__() if not name.startswith("_"))

    if not TYPE_CHECKING:  # otherwise a type checker would accept any name

        def __getattr__(self, name: str) -> object:
            raise AttributeError(_unknown(self, name) if not name.startswith("_") else name)


def _unknown(instance: FindableNames, name: str) -> str:
    """Return the error message for an unknown name, with the names that exist."""
    from difflib import get_close_matches

    there = dir(instance)
    closest = get_close_matches(name, _spellings(instance), n=1, cutoff=0.85)
    hint = f" Did you mean {_spellings(instance)[closest[0]]}?" if closest else ""
    return f"{type(instance).__name__} has no attribute {name!r}.{hint} It has: {', '.join(there)}."


def _spellings(instance: FindableNames) -> dict[str, str]:
    """Return the names that a user may type, with the name each one means: also `report_order` for `orders.report`."""
    spellings = {}
    for name in dir(instance):
        spellings[name] = name
        capability = getattr(instance, name) if not callable(getattr(type(instance), name, None)) else None
        if isinstance(capability, FindableNames):
            for method in dir(capability):
                one = name.removesuffix("s")
                for spelling in (f"{method}_{one}", f"{method}_{one.rpartition('_')[2]}"):
                    spellings.setdefault(spelling, f"{name}.{method}")
    return spellings
