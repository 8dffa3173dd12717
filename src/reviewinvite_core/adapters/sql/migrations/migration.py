"""The type of a migration."""

from __future__ import annotations

import attrs


@attrs.frozen
class Migration:
    """A step from one schema to the next: a name that is never reused, and statements in the common SQL.

    `{blob}` stands for the engine's type for bytes, and `{clustered}` for its clause that stores a table in the order
    of its primary key. `on_postgres` are statements that only PostgreSQL runs afterwards.
    """

    name: str
    statements: tuple[str, ...]
    on_postgres: tuple[str, ...] = ()
