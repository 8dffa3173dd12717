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
        """Whether units never wait once their transaction has begun.

        Only such units may run on an event loop.
        """

    @property
    def one_host(self) -> bool:
        """Whether only one host can use this storage; if so, a missing high-water mark must have been lost."""

    @property
    def batches_at_once(self) -> int:
        """How many batches can run concurrently; 1 if there is a single writer."""

    @property
    def last_write_failed(self) -> bool:
        """Whether the newest write of this process failed because storage was unavailable."""

    @property
    def connections(self) -> Connections | None:
        """The connections of this process's pool, as known without asking the server; None if there is no pool."""

    def run(self, unit: UnitOfWork[T]) -> T:
        """Run one unit of work; its changes are durable on return.

        Raises: what the unit raises, with no changes stored; `StorageUnavailable` if storage is busy, full or
        unreachable, with no changes stored, or with all of them if the answer to the commit was lost.
        """

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        """Run units one after the other under one durable commit; a unit that raises does not affect the others.

        Units run on `executor` if given; waiting for locks and the disk happens on this thread. `units` is read as they
        run, so it may grow until then.

        If the transaction is lost or its commit fails, every outcome is `Failed` with `StorageUnavailable`. Nothing was
        then stored, or everything if the answer to the commit was lost.
        """

    def try_writing(self) -> None:
        """Write something that changes nothing.

        Raises: `StorageUnavailable`.
        """

    def read(self, unit: UnitOfWork[T]) -> T:
        """Run a unit that changes nothing; it sees one snapshot and waits for no writer.

        Raises: as `run`.
        """

    def problems(self) -> Sequence[str]:
        """Return the problems of the stored data, in words for the operator; empty if there are none.

        Raises: `StorageUnavailable`.
        """

    def compact(self) -> None:
        """Release the space of deleted data, as far as the engine allows; slow for large databases.

        Raises: `StorageUnavailable` if other users of the database prevent it.
        """

    def forget_old_ring(self) -> None:
        """Erase the previous key ring from storage, as far as the engine allows; quick.

        Raises: `StorageUnavailable` if others are in the way.
        """

    def condition(self) -> Condition:
        """Return the current condition of storage.

        Raises: `SchemaTooOld`, `SchemaTooNew` if the schema is that of another release; `CopyUnfinished` if a copy into
        this database has not been completed; `StorageUnavailable`.
        """

    def close(self) -> None:
        """Close files and connections; idempotent."""


@attrs.frozen(kw_only=True)
class Connections:
    """Counts of a pool: open connections, those in use or being opened, and units waiting for a connection."""

    open: int
    in_use: int
    waiting: int


@attrs.frozen(kw_only=True)
class Condition:
    """Current condition of storage: its engine, and its connections if it has a pool."""

    engine: str
    connections: Connections | None = None
