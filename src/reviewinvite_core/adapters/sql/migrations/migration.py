"""What a migration is."""

from __future__ import annotations

import attrs


@attrs.frozen
class Migration:
    """A step from one schema to the next: a name that is never used again, and statements in the common SQL.

    `{blob}` stands for the engine's type of bytes, `{clustered}` for its way to keep a table in the order of its
    primary key. `on_postgres` is what PostgreSQL is told after them.
    """

    name: str
    statements: tuple[str, ...]
    on_postgres: tuple[str, ...] = ()
