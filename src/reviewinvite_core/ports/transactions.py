"""Units of work: the types for running them, their locks and their outcomes. How they run: see `execution`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import attrs

from reviewinvite_core.ports.store import Store

T = TypeVar("T")


UnitOfWork: TypeAlias = Callable[[Store], T]
"""A function whose changes are stored together or not at all. It may be run a second time if nothing was stored."""


@attrs.frozen
class LockedUnit(Generic[T]):
    """A unit of work with its locks, as 64-bit numbers; units that share a lock do not run at the same time.

    `batchable` describes how storage may run the unit together with others, or is None if it may not.
    """

    unit: UnitOfWork[T]
    locks: frozenset[int]
    batchable: Batchable[T] | None = None

    def __call__(self, store: Store) -> T:
        """Run the unit."""
        return self.unit(store)


@attrs.frozen
class Batchable(Generic[T]):
    """How to run a unit in a group with others of the same `run`, which takes their requests in order.

    Units of one group share no lock except `shared_locks`: `run` itself handles what those protect.
    """

    run: Callable[[Store, Sequence[Any]], Sequence[T]]
    request: Any
    shared_locks: frozenset[int] = frozenset()


GLOBAL_LOCK = frozenset({0})
"""The lock of every unit that does not name its locks."""


@attrs.frozen
class Done:
    """The result of a unit whose changes are durable."""

    result: object


@attrs.frozen
class Failed:
    """What a unit raised; none of its changes were stored."""

    error: BaseException


Outcome: TypeAlias = Done | Failed


class Executor(Protocol):
    """Runs functions on another thread, for example that of an event loop (ADR-3)."""

    def run(self, work: Callable[[], T], /) -> T:
        """Run the function on the other thread and return its result; if that thread has stopped, run it on this one.

        Raises: what the function raises.
        """
