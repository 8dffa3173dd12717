"""A method for asyncio that is derived from the sync one, so that each call is written once. ADR-74."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

P = ParamSpec("P")
R = TypeVar("R")


class Derived(Generic[P, R]):
    """What a type checker sees of a derived method. `Awaitable` would not do: `create_task` refuses it."""

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, instance: object, owner: type) -> Callable[..., Coroutine[Any, Any, R]]:
        raise NotImplementedError  # a derived method is a function


def derived(method: Callable[Concatenate[Any, P], R]) -> Derived[P, R]:
    """Return the coroutine function that has a method's signature, documentation and body.

    The body must return what another method of its object returned, which on the side of asyncio is an awaitable.
    """

    @wraps(method)
    async def awaited(self: Any, /, *args: P.args, **named: P.kwargs) -> object:
        return await cast("Callable[..., Coroutine[Any, Any, R]]", method)(self, *args, **named)

    awaited.__qualname__ = f"Async{method.__qualname__}"
    return cast("Derived[P, R]", awaited)
