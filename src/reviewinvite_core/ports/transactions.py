"""Units of work: what they are, what they lock, and what becomes of them. How they run: see `execution`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import attrs

from reviewinvite_core.ports.store import Store

T = TypeVar("T")


UnitOfWork: TypeAlias = Callable[[Store], T]
"""A function whose changes are kept all together, or not at all. It may be run again if nothing was kept."""


@attrs.frozen
class LockedUnit(Generic[T]):
    """A unit of work that names, as 64-bit numbers, what it must not share with another unit.

    `batchable` says how storage may run it together with others, if it may.
    """

    unit: UnitOfWork[T]
    locks: frozenset[int]
    batchable: Batchable[T] | None = None

    def __call__(self, store: Store) -> T:
        """Run the unit."""
        return self.unit(store)


@attrs.frozen
class Batchable(Generic[T]):
    """How a unit runs as one with others of the same `run`, which takes the request of each, in order.

    Units of one group have no lock in common but `shared_locks`: what these guard, `run` itself keeps right.
    """

    run: Callable[[Store, Sequence[Any]], Sequence[T]]
    request: Any
    shared_locks: frozenset[int] = frozenset()


GLOBAL_LOCK = frozenset({0})
"""The lock of a unit that names none."""


@attrs.frozen
class Done:
    """The result of a unit whose changes are durable."""

    result: object


@attrs.frozen
class Failed:
    """What a unit raised; none of its changes were kept."""

    error: BaseException


Outcome: TypeAlias = Done | Failed


class Executor(Protocol):
    """Runs functions on another thread, for example that of an event loop (ADR-3)."""

    def run(self, work: Callable[[], T], /) -> T:
        """Run the function there and return its result; run it here if nothing runs there any more.

        Raises: what it raises.
        """
