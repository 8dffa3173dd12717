"""The ordered list of migrations for every engine. Never change a released one; add another."""

from __future__ import annotations

from reviewinvite_core.adapters.sql.migrations import release_0_1, release_0_2
from reviewinvite_core.adapters.sql.migrations.migration import Migration

MIGRATIONS: tuple[Migration, ...] = (*release_0_1.MIGRATIONS, *release_0_2.MIGRATIONS)
