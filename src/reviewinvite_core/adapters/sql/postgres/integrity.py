"""Checks of `db check` for PostgreSQL, beyond what the server ensures itself."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from reviewinvite_core.adapters.sql.integrity import DatabaseStatistics, Schema, TableSchema, missing, without_owner
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.migrations.tables import TABLES
from reviewinvite_core.adapters.sql.postgres.connect import WAIT_SECONDS, connected
from reviewinvite_core.adapters.sql.postgres.errors import faults_as_unavailable
from reviewinvite_core.adapters.sql.postgres.timeouts import BoundedConnection
from reviewinvite_core.adapters.sql.sqlite.maintenance import expected_schema

# Like the migrations table, the others may be in any schema on the search path.
_COLUMNS = """
SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = ANY (current_schemas(false))
"""
_HERE = "(SELECT oid FROM pg_namespace WHERE nspname = ANY (current_schemas(false)))"
# An interrupted CREATE INDEX leaves an invalid index, which no query uses.
_INDEXES = f"""
SELECT of.relname, made.relname FROM pg_index
JOIN pg_class AS of ON of.oid = pg_index.indrelid
JOIN pg_class AS made ON made.oid = pg_index.indexrelid
WHERE of.relnamespace IN {_HERE} AND pg_index.indisvalid
"""
_REFERENCES = f"""
SELECT of.relname, referring.attname, owner.relname FROM pg_constraint
JOIN pg_class AS of ON of.oid = pg_constraint.conrelid
JOIN pg_class AS owner ON owner.oid = pg_constraint.confrelid
JOIN pg_attribute AS referring ON referring.attrelid = of.oid AND referring.attnum = pg_constraint.conkey[1]
WHERE of.relnamespace IN {_HERE} AND pg_constraint.contype = 'f'
"""
_BYTES = "SELECT pg_database_size(current_database())"
_OFF = """
SELECT name FROM pg_settings
WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name
"""


def problems(connection: BoundedConnection, migrations: Sequence[Migration]) -> Sequence[str]:
    """Return missing parts of the schema, or else rows without their owner; and settings that may lose data.

    The server checks its pages itself.
    """
    found = list(missing(expected_schema(migrations), _schema_of(connection)))
    found = found or list(without_owner(lambda statement: int(_value(connection, statement))))
    return [
        *found,
        *(
            f"the server has {name} off: acknowledged data may be lost in a power failure"
            for (name,) in connection.execute(_OFF)
        ),
    ]


def statistics(url: str) -> DatabaseStatistics:
    """Return the size of the database.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    with faults_as_unavailable(), connected(url, WAIT_SECONDS, to_write=False, answer_seconds=math.inf) as connection:
        rows = {table.name: int(_value(connection, f"SELECT COUNT(*) FROM {table.name}")) for table in TABLES}
        return DatabaseStatistics(engine="postgresql", rows=rows, bytes=int(_value(connection, _BYTES)))


def _schema_of(connection: BoundedConnection) -> Schema:
    columns, indexes = (_by_table(connection.execute(statement).fetchall()) for statement in (_COLUMNS, _INDEXES))
    references = _by_table([(table, (column, owner)) for table, column, owner in connection.execute(_REFERENCES)])
    return {
        table: TableSchema(
            columns=frozenset(names), indexes=frozenset(indexes[table]), references=frozenset(references[table])
        )
        for table, names in columns.items()
    }


def _by_table(rows: Iterable[tuple[str, Any]]) -> defaultdict[str, list[Any]]:
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for table, value in rows:
        found[table].append(value)
    return found


def _value(connection: BoundedConnection, statement: str) -> Any:
    row = connection.execute(statement.encode()).fetchone()
    return row[0] if row else 0
