"""Compare a database's schema with the one that this release needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.domain.errors import CopyUnfinished, DatabaseMissing, SchemaTooNew, SchemaTooOld

MIGRATION_SET = "reviewinvite"
UNFINISHED_COPY = "copy-of-"

TryRing: TypeAlias = Callable[[bytes | None], None]
"""Function that raises if the secret does not open a sealed key ring."""


def not_tried(_sealed: bytes | None) -> None:
    """Accept any key ring; for new databases, which do not have one, and for operations that need no secret."""


def no_database(what: str) -> DatabaseMissing:
    """Return the error for an operation that needs a database, with the next step."""
    return DatabaseMissing(f"{what}: correct database_url, or set up a new one with `reviewinvite db migrate`")


def check_schema(applied: Collection[str], migrations: Sequence[Migration], *, older_will_do: bool = False) -> None:
    """Raise unless the applied migrations are exactly `migrations`, or some of them if `older_will_do`.

    Raises: `CopyUnfinished`, `SchemaTooNew`, `SchemaTooOld`.
    """
    ours = [migration.name for migration in migrations]
    unknown = sorted(set(applied) - set(ours))
    if any(name.startswith(UNFINISHED_COPY) for name in unknown):
        raise CopyUnfinished("a copy into this database is not finished: run `reviewinvite db copy` again")
    if unknown:
        message = f"a newer release made this database (it has {unknown[-1]}): install that release or a later one"
        raise SchemaTooNew(message)
    missing = [name for name in ours if name not in applied]
    if missing and not older_will_do:
        message = f"this database lacks {missing[0]}: run `reviewinvite db migrate`"
        raise SchemaTooOld(message)
