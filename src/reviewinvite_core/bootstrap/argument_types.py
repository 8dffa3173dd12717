"""Check the types of arguments, as the signatures of public methods declare them. ADR-41.

Python ignores annotations. Without a check, a wrong type is noticed somewhere inside, or never: the text of an enum's
member is equal to the member, but not identical with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, partial, wraps
from types import FunctionType, UnionType
from typing import Any, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from reviewinvite_core.domain.api_key import Caller, SecretKey

Method = TypeVar("Method", bound=Callable[..., Any])
_Types: TypeAlias = tuple[type, ...]

_HINTS: Mapping[type, str] = {
    SecretKey: "SecretKey.parse(text) returns a SecretKey, or None if the text is malformed",
    Caller: "shops.act_for and api_keys.authenticate return a Caller",
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
            if inspect.isfunction(method) and not name.startswith("_") and _takes_arguments(method):
                setattr(cls, name, _checked(method))


def _takes_arguments(method: FunctionType) -> bool:
    """Return whether it has parameters besides `self`; `inspect.signature` takes far longer, at each start."""
    return method.__code__.co_argcount + method.__code__.co_kwonlyargcount > 1


def complaint(name: str, types: _Types, value: object) -> str:
    """Return the message for an argument of a wrong type."""
    wanted = " or ".join(_name(each) for each in types)
    hints = "".join(f"; {_HINTS[each]}" for each in _HINTS if each in types)
    return f"{name} must be of type {wanted}, not {_name(type(value))}{hints}"


def _checked(method: Method) -> Method:
    """Return the method with the check in front of it; the types are resolved at its first call."""
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

    return awaited if inspect.iscoroutinefunction(method) else direct  # type: ignore[return-value]


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
