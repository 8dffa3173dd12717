"""Migrate a database to a release's schema: one runner for one list of migrations on every engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import attrs

from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.schema import TryRing, check_schema, no_database, not_tried
from reviewinvite_core.adapters.sql.store import SqlStore

RELAY = "m0020_outage"


class MigrationEngine(Protocol):
    """An engine's steps of a migration; `run` determines their order."""

    def transaction(self) -> AbstractContextManager[None]:
        """Return a context with one transaction: durable at its end, rolled back if it raises."""

    def applied(self) -> Sequence[str]:
        """Return the names of the database's migrations; empty for an empty database.

        Raises: `ConfigurationError` if the database belongs to another program.
        """

    def lock(self) -> None:
        """Keep other processes from migrating until the transaction ends."""

    def apply(self, pending: Sequence[Migration]) -> None:
        """Run and record these migrations in order."""

    def store(self) -> SqlStore:
        """Return the repositories over the migration's transaction."""

    def draw_epoch(self) -> int:
        """Return a number that the engine draws at random, from 0 to 2**63 - 1."""


def run(
    engine: MigrationEngine,
    migrations: Sequence[Migration],
    *,
    only_if_new: bool,
    create: bool = True,
    try_ring: TryRing = not_tried,
) -> Sequence[str]:
    """Migrate a database to the schema of `migrations` and return the names of those applied.

    Several processes may do so at once. If the database is already set up, `try_ring` gets its sealed key ring first;
    if it raises, nothing is applied.

    Raises: `SchemaTooNew`; `SchemaTooOld` with `only_if_new` if there is data of an older release; `DatabaseMissing`
    without `create` if the database is empty.
    """
    with engine.transaction():
        before = engine.applied()
        if not before and not create:
            raise no_database("the database is empty")
        if set(before) != {migration.name for migration in migrations}:
            engine.lock()
            before = engine.applied()  # read again under the lock
        if not before or not only_if_new:
            check_schema(before, migrations, older_will_do=True)
            if before:
                try_ring(engine.store().sealed_key_ring())
            pending = [migration for migration in migrations if migration.name not in before]
            if pending:
                engine.apply(pending)
                if before and any(migration.name == RELAY for migration in migrations):
                    # what the release before has rejected may have been sent by now (ADR-69)
                    relay = engine.store().relay
                    relay.keep(attrs.evolve(relay.lock(), epoch=engine.draw_epoch()))
        after = engine.applied()
        check_schema(after, migrations)
    return [name for name in after if name not in before]
