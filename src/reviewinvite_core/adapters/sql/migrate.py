"""Bring a database to the schema of a release: one runner for the one list of migrations, whatever the engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.schema import TryRing, check_schema


class MigrationEngine(Protocol):
    """What an engine does for a migration: the steps alone, as `run` has their order."""

    def transaction(self) -> AbstractContextManager[None]:
        """Hold one transaction, durable in the end; nothing of it stays where something is raised inside."""

    def applied(self) -> Sequence[str]:
        """Return the names of the migrations that the database has; none in an empty one.

        Raises: `ConfigurationError` if it is another program's.
        """

    def lock(self) -> None:
        """Keep everybody else from migrating until the transaction ends."""

    def sealed_key_ring(self) -> bytes | None:
        """Return the key ring of a database that is set up, or None if it has none yet."""

    def apply(self, pending: Sequence[Migration]) -> None:
        """Run and record these, in their order."""


def run(
    engine: MigrationEngine, migrations: Sequence[Migration], *, only_if_new: bool, try_ring: TryRing
) -> Sequence[str]:
    """Bring a database to the schema of `migrations` and return the names of those applied.

    Safe when several processes do it at once. Nothing is applied where `try_ring` raises, which is given the sealed
    key ring of a database that is set up.

    Raises: `SchemaTooNew`; `SchemaTooOld` with `only_if_new` if there is data of an older release.
    """
    with engine.transaction():
        before = engine.applied()
        if set(before) != {migration.name for migration in migrations}:
            engine.lock()
            before = engine.applied()  # as it is now that nobody else changes it
        if not before or not only_if_new:
            check_schema(before, migrations, older_will_do=True)
            if before:
                try_ring(engine.sealed_key_ring())
            pending = [migration for migration in migrations if migration.name not in before]
            if pending:
                engine.apply(pending)
        after = engine.applied()
        check_schema(after, migrations)
    return [name for name in after if name not in before]
