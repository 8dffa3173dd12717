"""Statements of a test's own, in the transaction of a unit of work."""

from __future__ import annotations

from typing import Any

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.ports import Store


def connection_of(store: Store) -> Connection:
    """Return the connection of this unit's transaction; the store has no public name for it."""
    assert isinstance(store, SqlStore)
    return store._connection


def execute(store: Store, statement: str) -> None:
    """Run one statement in this unit's transaction."""
    connection_of(store).execute(statement, {})


def ask(store: Store, question: str) -> Any:
    """Return the first column of the first row of the answer."""
    return connection_of(store).execute(question, {}).fetchone()[0]
