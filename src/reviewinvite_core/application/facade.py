"""Base classes of the facade: its arguments are checked, and a mistyped name is found. ADR-41.

Python ignores annotations. Without a check, a wrong type is noticed somewhere inside, or never: the text of an enum's
member is equal to the member, but not identical with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cache, partial, wraps
from types import FunctionType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from reviewinvite_core.domain.api_key import Actor, SecretKey
from reviewinvite_core.execution import UseCases
from reviewinvite_core.usecases.context import UnitContext

if TYPE_CHECKING:
    from reviewinvite_core.application.event_loop import AsyncUseCases


P = ParamSpec("P")
R = TypeVar("R")
_Types: TypeAlias = tuple[type, ...]

_HINTS: Mapping[type, str] = {
    SecretKey: "SecretKey.parse(text) returns a SecretKey, or None if the text is malformed",
    Actor: "shops.act_for and api_keys.authenticate return an Actor",
}


class CheckedArguments:
    """Base class whose public methods raise `TypeError` for an argument of another type than declared.

    The error names the argument and the types, and never the value, which may be a key or an address.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Put the check in front of each public method that takes arguments."""
        super().__init_subclass__()
        for name, method in tuple(vars(cls).items()):
            if not inspect.isfunction(method) or name.startswith("_"):
                continue
            if hasattr(method, "__wrapped__"):
                method.__qualname__ = f"{cls.__qualname__}.{name}"
            elif _takes_arguments(method):
                setattr(cls, name, _checked(method, awaits=inspect.iscoroutinefunction(method)))


def _takes_arguments(method: FunctionType) -> bool:
    """Return whether it has parameters besides `self`; `inspect.signature` takes far longer, at each start."""
    return method.__code__.co_argcount + method.__code__.co_kwonlyargcount > 1


def complaint(name: str, types: _Types, value: object) -> str:
    """Return the message for an argument of a wrong type."""
    wanted = " or ".join(_name(each) for each in types)
    hints = "".join(f"; {_HINTS[each]}" for each in _HINTS if each in types)
    return f"{name} must be of type {wanted}, not {_name(type(value))}{hints}"


def _checked(method: Callable[..., Any], *, awaits: bool) -> Callable[..., Any]:
    """Return the method with the check in front of it, as a coroutine function if it has something to await.

    The types are resolved at its first call.
    """
    declared = cache(partial(_declared, method))
    in_order = cache(lambda: tuple(declared().values()))

    def refuse(args: tuple[object, ...], named: dict[str, object]) -> None:
        """Raise `TypeError` if an argument has a wrong type; Python reports other mistakes in the call."""
        types = declared()
        for name, value in (*zip(types, args, strict=False), *named.items()):
            if not isinstance(value, types.get(name, object)):
                raise TypeError(complaint(name, types[name], value))

    @wraps(method)
    async def awaited(self: object, /, *args: object, **named: object) -> object:
        if named or not all(map(isinstance, args, in_order())):  # half a microsecond, in each call
            refuse(args, named)
        return await method(self, *args, **named)

    @wraps(method)
    def direct(self: object, /, *args: object, **named: object) -> object:
        if named or not all(map(isinstance, args, in_order())):
            refuse(args, named)
        return method(self, *args, **named)

    return awaited if awaits else direct


def _declared(method: Callable[..., object]) -> dict[str, _Types]:
    """Return the types that each argument may have, in the order of the arguments."""
    hints = get_type_hints(method)
    return {name: tuple(_types_in(hints[name])) for name in inspect.signature(method).parameters if name != "self"}


def _types_in(annotation: Any) -> list[type]:
    """Return the classes that an annotation allows: those of a union, `Sequence` for `Sequence[T]`, int for float."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return [each for part in get_args(annotation) for each in _types_in(part)]
    return [float, int] if annotation is float else [origin or annotation]


def _name(of: type) -> str:
    return "None" if of is type(None) else of.__name__


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


class Derived(Generic[P, R]):
    """What a type checker sees of a derived method. `Awaitable` would not do: `create_task` refuses it."""

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(self, instance: AsyncFacade, owner: type) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, instance: AsyncFacade | None, owner: type) -> Callable[..., Coroutine[Any, Any, R]]:
        raise NotImplementedError  # a derived method is a function


def derived(method: Callable[Concatenate[Any, P], R]) -> Derived[P, R]:
    """Return the coroutine function for asyncio that has a method's signature, documentation and body. ADR-74.

    The body must end with `return self._use_cases.run(...)`, which on this side returns an awaitable.
    """
    return cast("Derived[P, R]", _checked(inspect.unwrap(method), awaits=True))


def require_items(values: Sequence[object], kind: type, name: str) -> None:
    """Raise `TypeError`, naming the item, unless this is a sequence of values of this type."""
    if isinstance(values, str | bytes):
        raise TypeError(f"{name} must be a sequence of {kind.__name__}, not {type(values).__name__}")
    for index, value in enumerate(values):
        if not isinstance(value, kind):
            raise TypeError(complaint(f"{name}[{index}]", (kind,), value))
