"""Durable storage with transactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import attrs

from reviewinvite_core.ports.transactions import Executor, Outcome, UnitOfWork

T = TypeVar("T")


class Storage(Protocol):
    """Durable storage with transactions."""

    @property
    def units_only_compute(self) -> bool:
        """Whether a unit never waits, once its transaction has begun: only then may it run on an event loop."""

    @property
    def one_host(self) -> bool:
        """Whether it can only be used on the host where it is: a hand-over mark that is missing then is one lost."""

    @property
    def batches_at_once(self) -> int:
        """How many batches it runs side by side; 1 where there is one writer at a time."""

    def run(self, unit: UnitOfWork[T]) -> T:
        """Run one unit of work; when this returns, what it changed is durable.

        Raises: what the unit raises, with nothing kept; `StorageUnavailable` if storage is busy, full or away, with
        nothing kept, or all of it where the answer to the commit was lost.
        """

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        """Run many units, one after the other, under one durable commit; a unit that raises harms no other.

        Units run on `executor` if there is one; what waits for locks or the disk waits here. `units` is read when they
        run, so that more can be added until then.

        Where the transaction itself is lost, or its commit fails, every outcome is `Failed` with
        `StorageUnavailable`, and nothing at all was kept; or all, where the answer to the commit was lost.
        """

    def read(self, unit: UnitOfWork[T]) -> T:
        """Run a unit that changes nothing; it sees storage as it was at one moment, and waits for no writer.

        Raises: as `run`.
        """

    def problems(self) -> Sequence[str]:
        """What is wrong with what is stored, in words for the operator; nothing where all is well.

        Raises: `StorageUnavailable`.
        """

    def compact(self) -> None:
        """Let go of what was deleted, so far as the engine can tell it to; takes long where there is much.

        Raises: `StorageUnavailable` if others are in the way.
        """

    def forget_old_ring(self) -> None:
        """Let go of what was stored as the key ring before, so far as the engine can tell it to. It is quick.

        Raises: `StorageUnavailable` if others are in the way.
        """

    def condition(self) -> Condition:
        """How storage is.

        Raises: `SchemaTooOld`, `SchemaTooNew` if another release has changed it; `StorageUnavailable`.
        """

    def close(self) -> None:
        """Let go of files and connections; idempotent."""


@attrs.frozen(kw_only=True)
class Connections:
    """A pool's connections: how many are open, how many in use (or being made), and how many units wait for one."""

    open: int
    in_use: int
    waiting: int


@attrs.frozen(kw_only=True)
class Condition:
    """How storage is at this moment: its engine, and the connections where it has a pool of them."""

    engine: str
    connections: Connections | None = None
