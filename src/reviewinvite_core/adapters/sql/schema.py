"""Which schema a database has, compared with the one this release was written for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.domain.errors import CopyUnfinished, SchemaTooNew, SchemaTooOld

MIGRATION_SET = "reviewinvite"
UNFINISHED_COPY = "copy-of-"


def check_schema(applied: Collection[str], migrations: Sequence[Migration], *, older_will_do: bool = False) -> None:
    """Nothing, where the applied migrations are exactly `migrations`, or some of them where `older_will_do`.

    Raises: `CopyUnfinished`, `SchemaTooNew`, `SchemaTooOld`.
    """
    if any(name.startswith(UNFINISHED_COPY) for name in applied):
        raise CopyUnfinished("a copy into this database is not finished: run `reviewinvite db copy` again")
    ours = [migration.name for migration in migrations]
    unknown = sorted(set(applied) - set(ours))
    if unknown:
        message = f"a newer release made this database (it has {unknown[-1]}): install that release or a later one"
        raise SchemaTooNew(message)
    missing = [name for name in ours if name not in applied]
    if missing and not older_will_do:
        message = f"this database lacks {missing[0]}: run `reviewinvite db migrate`"
        raise SchemaTooOld(message)
