"""Storage in PostgreSQL: one database for any number of processes on any number of machines."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from psycopg.pq import TransactionStatus

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.postgres import integrity
from reviewinvite_core.adapters.sql.postgres.change_all import change_all
from reviewinvite_core.adapters.sql.postgres.connect import WAIT_SECONDS, refuse_standby
from reviewinvite_core.adapters.sql.postgres.errors import Conflict, translated
from reviewinvite_core.adapters.sql.postgres.migrate import BEGIN_WRITING, applied, migrate
from reviewinvite_core.adapters.sql.postgres.pool import Pool
from reviewinvite_core.adapters.sql.postgres.statements import NumberedParams
from reviewinvite_core.adapters.sql.postgres.timeouts import ANSWER_SECONDS, BoundedConnection
from reviewinvite_core.adapters.sql.schema import check_schema
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.execution import group_batchable, locks_in_order, run_group
from reviewinvite_core.ports import Condition, Connections, Done, Executor, Failed, Outcome, Store, UnitOfWork

T = TypeVar("T")

BUSY_SECONDS = 5.0
MOST_TRIES = 5

_SKIP_LOCKED = "FOR UPDATE SKIP LOCKED"
_FREEZE_FIGURES = "LOCK TABLE invitation_figures IN EXCLUSIVE MODE"
# A unit only computes between statements. After this long a silence its process or machine is dead or frozen, and
# its locks also block other orders (ADR-15).
_BOUNDS = "; SET LOCAL statement_timeout = '30s'; SET LOCAL idle_in_transaction_session_timeout = '30s'"
_BEGIN = BEGIN_WRITING + _BOUNDS + "; SET LOCAL lock_timeout = '{busy_ms}ms'"
_BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" + _BOUNDS
_BEGIN_CHECKING = _BEGIN_READING + "; SET LOCAL statement_timeout = 0"
# The clock is read once all locks are held: the outer query waits for the count.
_LOCK = """
WITH held AS MATERIALIZED (SELECT count(pg_advisory_xact_lock(lock)) FROM unnest(%(locks)s::bigint[]) AS lock)
SELECT clock_timestamp() FROM held
"""
_NOW = "SELECT clock_timestamp()"


class PostgresStorage:
    """Storage in PostgreSQL, also through a transaction pooler. Implements `ports.Storage`.

    A unit may run more than once: after a deadlock, and alone after another unit of its batch has failed.
    """

    units_only_compute = False
    one_host = False
    batches_at_once = 4  # while one waits for the network or its commit, another runs

    def __init__(
        self,
        url: str,
        *,
        wait_seconds: float = WAIT_SECONDS,
        busy_seconds: float = BUSY_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
        migrations: Sequence[Migration] = MIGRATIONS,
        create: bool = True,
    ) -> None:
        """Connect, waiting for a database that is still starting, and set it up if it is new; without `create`, raise.

        A unit of work waits at most `busy_seconds` each for a connection and for the locks of others, and at most
        `answer_seconds` for the answer to a statement.

        Raises: `SchemaTooOld`, `SchemaTooNew`, `DatabaseMissing`; `ConfigurationError` if the server rejects us;
        `StorageUnavailable` if it does not answer within `wait_seconds`.
        """
        self.last_write_failed = False
        self._begin = _BEGIN.format(busy_ms=round(busy_seconds * 1000)).encode()
        self._migrations = migrations
        self._pool = Pool(url, busy_seconds=busy_seconds, answer_seconds=answer_seconds)
        try:
            migrate(
                url,
                wait_seconds=wait_seconds,
                answer_seconds=answer_seconds,
                only_if_new=True,
                create=create,
                migrations=migrations,
            )
            self._pool.open()
        except BaseException:
            self._pool.close()
            raise

    def run(self, unit: UnitOfWork[T]) -> T:
        return self._commit(lambda: locks_in_order([unit]), lambda opened: unit(opened.store))

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:

        def gathered() -> Sequence[int]:
            return executor.run(lambda: locks_in_order(units)) if executor else locks_in_order(units)

        try:
            return self._commit(gathered, lambda opened: _results(opened.store, units))
        except StorageUnavailable as error:
            return [Failed(error)] * len(units)
        except Exception:
            return self._run_each(units)

    def _run_each(self, units: Sequence[UnitOfWork[object]]) -> Sequence[Outcome]:
        """Run each unit under its own savepoint. This is slower, so it is used only after one of them has failed."""
        try:
            return self._commit(lambda: locks_in_order(units), lambda opened: [opened.outcome(unit) for unit in units])
        except StorageUnavailable as error:
            return [Failed(error)] * len(units)

    def try_writing(self) -> None:
        self._commit(lambda: (), lambda opened: opened.store.try_writing())

    def read(self, unit: UnitOfWork[T]) -> T:
        with self._pool.connection() as connection:
            connection.execute(_BEGIN_READING)
            return unit(_Transaction(connection).store)

    def problems(self) -> Sequence[str]:
        """Check the schema and all rows; slow for large databases."""
        with self._pool.connection() as connection, connection.answering_within(math.inf):
            connection.execute(_BEGIN_CHECKING)
            _Transaction(connection).store.sealed_key_ring()
            return integrity.problems(connection, self._migrations)

    def compact(self) -> None:
        """Run a plain VACUUM, which blocks nobody.

        docs/how-to/answer-privacy-requests.md says what it leaves behind.

        The planner's statistics contain samples of sealed addresses, so they are rebuilt too.
        """
        with self._pool.connection() as connection, connection.answering_within(math.inf):
            connection.execute("VACUUM (ANALYZE) invitations, reviews")

    def forget_old_ring(self) -> None:
        """Run a plain VACUUM on the key ring's table, which blocks nobody; see `compact`."""
        with self._pool.connection() as connection, connection.answering_within(math.inf):
            connection.execute("VACUUM key_ring")

    @property
    def connections(self) -> Connections:
        return self._pool.figures()

    def condition(self) -> Condition:
        with self._pool.connection() as connection:
            refuse_standby(connection)
            check_schema(applied(connection), self._migrations)
        return Condition(engine="postgresql", connections=self._pool.figures())

    def close(self) -> None:
        self._pool.close()

    def _commit(self, locks: Callable[[], Sequence[int]], work: Callable[[_Transaction], T]) -> T:
        """Run one transaction: take its locks in the usual order, run the work and commit; retry after a conflict."""
        for remaining in reversed(range(MOST_TRIES)):
            try:
                with self._pool.connection() as connection:
                    connection.execute(self._begin)
                    wanted = locks()
                    locked = connection.execute(_LOCK, {"locks": list(wanted)}).fetchone() if wanted else None
                    opened = _Transaction(connection, began=locked[0] if locked else None)
                    result = work(opened)
                    opened.store.invitation_figures.flush()
                    if connection.execute("COMMIT").statusmessage != "COMMIT":  # a unit swallowed an engine error
                        raise StorageUnavailable("the transaction was rolled back")
                self.last_write_failed = False
                return result
            except StorageUnavailable as error:
                self.last_write_failed = True
                if not (isinstance(error, Conflict) and remaining):
                    raise
        raise AssertionError  # the loop returns or raises


def _results(store: Store, units: Sequence[UnitOfWork[object]]) -> Sequence[Outcome]:
    return [Done(result) for those in group_batchable(units) for result in run_group(store, those)]


class _Transaction:
    """A connection in a transaction, and its store."""

    def __init__(self, connection: BoundedConnection, began: datetime | None = None) -> None:
        self._connection = connection
        self.store = SqlStore(
            NumberedParams(connection),
            skip_locked=_SKIP_LOCKED,
            joint_change=change_all,
            freeze_figures=_FREEZE_FIGURES,
            now=self._now,
        )
        self._began = began.astimezone(UTC) if began else None

    def _now(self) -> datetime:
        """Return the database's clock, read once, after the locks were taken."""
        if self._began is None:
            row = self._connection.execute(_NOW).fetchone()
            self._began = row[0].astimezone(UTC) if row else None
        assert self._began is not None  # noqa: S101 - for the type checker: a SELECT without FROM gives a row
        return self._began

    def outcome(self, unit: UnitOfWork[object]) -> Outcome:
        """Run one unit under its own savepoint.

        Raises: `StorageUnavailable` if the whole transaction is lost, `Conflict` if it must be retried.
        """
        execute = self._connection.execute
        figures = self.store.invitation_figures
        savepoint = figures.savepoint()
        execute("SAVEPOINT unit")
        try:
            result = unit(self.store)
        except Exception as error:
            if self._connection.info.transaction_status not in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
                raise StorageUnavailable("the transaction is gone") from error
            known = translated(error)
            if isinstance(known, Conflict):
                raise  # not the unit's own fault: all units are retried
            execute("ROLLBACK TO unit")
            figures.roll_back(savepoint)
            return Failed(known)
        execute("RELEASE unit")
        return Done(result)
