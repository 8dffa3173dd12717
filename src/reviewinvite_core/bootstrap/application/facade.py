"""Base classes of the facade, and the checks of what callers pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewinvite_core.bootstrap.findable_names import FindableNames
from reviewinvite_core.domain.api_key import Caller, Operator, SecretKey
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.execution import UseCases
from reviewinvite_core.usecases.context import UnitContext

if TYPE_CHECKING:
    from reviewinvite_core.bootstrap.event_loop import AsyncUseCases


class Facade(FindableNames):
    """The calls of one capability; each is a transaction of its own."""

    __slots__ = ("_use_cases",)

    def __init__(self, use_cases: UseCases[UnitContext]) -> None:
        """Do not call this; use `build`."""
        self._use_cases = use_cases


class AsyncFacade(FindableNames):
    """The calls of one capability as coroutines; concurrent writes share a commit."""

    __slots__ = ("_use_cases",)

    def __init__(self, use_cases: AsyncUseCases) -> None:
        """Do not call this; `AsyncApplication` does."""
        self._use_cases = use_cases


def require_shop(caller: object) -> None:
    """Raise `TypeError`, saying what to give, unless this is a `Caller` or a `SecretKey`."""
    if not isinstance(caller, Caller | SecretKey):
        raise TypeError(
            f"caller must be a SecretKey or a Caller, not {_kind(caller)}; SecretKey.parse(text) returns a SecretKey, "
            "or None if the text is malformed; shops.act_for and api_keys.authenticate return a Caller"
        )


def require_caller(caller: object) -> None:
    """Raise `TypeError`, saying what to give, unless this is a `Caller`."""
    if not isinstance(caller, Caller):
        raise TypeError(f"caller must be a Caller, not {_kind(caller)}; shops.act_for returns one")


def require_shop_or_operator(caller: object) -> None:
    """Raise `TypeError` unless this is `OPERATOR` or acts for a shop; see `require_shop`."""
    if not isinstance(caller, Operator):
        require_shop(caller)


def require_type(value: object, kind: type, name: str) -> None:
    """Raise `TypeError`, naming the argument, unless its value has this type or is `Invalid`."""
    if not isinstance(value, kind) and not isinstance(value, Invalid):
        raise TypeError(f"{name} must be of type {kind.__name__} or Invalid, not {_kind(value)}")


def require_items(values: object, kind: type, name: str) -> None:
    """Raise `TypeError`, naming the argument, unless it is a sequence of values of this type."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise TypeError(f"{name} must be a sequence of {kind.__name__}, not {_kind(values)}")
    for index, value in enumerate(values):
        if not isinstance(value, kind):
            raise TypeError(f"{name}[{index}] must be of type {kind.__name__}, not {_kind(value)}")


def _kind(value: object) -> str:
    """Return the type of a value, and never the value, which may be a key."""
    return "None" if value is None else type(value).__name__
