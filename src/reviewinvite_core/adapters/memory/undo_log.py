"""Rollback for storage in memory: each change records how to undo it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class UndoLog:
    """How to undo the changes of the running unit, last change first."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []

    def note(self, undo: Callable[[], object]) -> None:
        self._undo.append(undo)

    def savepoint(self) -> int:
        return len(self._undo)

    def forget(self) -> None:
        self._undo.clear()

    def roll_back(self, to: int = 0) -> None:
        while len(self._undo) > to:
            self._undo.pop()()


class Table(Generic[K, V]):
    """A dictionary of immutable rows that records in the undo log how to undo each change."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._rows: dict[K, V] = {}
        self._undo_log = undo_log

    def __setitem__(self, key: K, row: V) -> None:
        rows = self._rows
        if key in rows:
            before = rows[key]
            self._undo_log.note(lambda: rows.__setitem__(key, before))
        else:
            self._undo_log.note(lambda: rows.pop(key))
        rows[key] = row

    def pop(self, key: K) -> V | None:
        """Remove and return a row, or None."""
        row = self._rows.pop(key, None)
        if row is not None:
            self._undo_log.note(lambda: self._rows.__setitem__(key, row))
        return row

    def get(self, key: K) -> V | None:
        return self._rows.get(key)

    def values(self) -> Sequence[V]:
        return list(self._rows.values())

    def items(self) -> Sequence[tuple[K, V]]:
        return list(self._rows.items())
