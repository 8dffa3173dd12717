"""Transactions, and the storage that runs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import attrs

from reviewinvite_core.ports.delivery import DeliveryHosts, Notices, RelayLog, Workers
from reviewinvite_core.ports.invitations import InvitationFigureLog, Invitations, Reviews, Suppressions
from reviewinvite_core.ports.shops import (
    ActivityLog,
    ApiKeys,
    DailyCounters,
    Domains,
    Members,
    RateLimitLog,
    Sessions,
    Shops,
    SigningKeys,
    SignInLinks,
    SnippetReports,
)


class Store(Protocol):
    """The view of storage inside one open transaction."""

    # properties, since an attribute would have to be of exactly the protocol's type
    @property
    def shops(self) -> Shops: ...
    @property
    def api_keys(self) -> ApiKeys: ...
    @property
    def members(self) -> Members: ...
    @property
    def sign_in_links(self) -> SignInLinks: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def activity(self) -> ActivityLog: ...
    @property
    def rate_limit_log(self) -> RateLimitLog: ...
    @property
    def daily_counters(self) -> DailyCounters: ...
    @property
    def snippet_reports(self) -> SnippetReports: ...
    @property
    def domains(self) -> Domains: ...
    @property
    def signing_keys(self) -> SigningKeys: ...
    @property
    def invitations(self) -> Invitations: ...
    @property
    def invitation_figures(self) -> InvitationFigureLog: ...
    @property
    def reviews(self) -> Reviews: ...
    @property
    def notices(self) -> Notices: ...
    @property
    def suppressions(self) -> Suppressions: ...
    @property
    def hosts(self) -> DeliveryHosts: ...
    @property
    def relay(self) -> RelayLog: ...
    @property
    def workers(self) -> Workers: ...

    def now(self) -> datetime | None:
        """Return the time of the clock that all users of this storage share, or None if there is no such clock."""

    def sealed_key_ring(self) -> bytes | None:
        """Return the key ring as stored, or None in a new database."""

    def keep_key_ring(self, sealed: bytes) -> None:
        """Store the key ring, replacing any earlier one."""

    def replace_key_ring(self, before: bytes, after: bytes) -> bool:
        """Store `after` if the key ring is still stored as `before`; return whether it was replaced."""


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
