"""Rows of what is delivered, of whatever kind: what workers hold, or left behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.domain.deliveries import Deliverable
from reviewinvite_core.domain.timing import to_microseconds
from reviewinvite_core.domain.workers import first_and_last_token

T = TypeVar("T", bound=Deliverable)

# The first condition is that of the partial index that each statement is to use.
_HELD = """
SELECT {columns} FROM {table} WHERE state IN ('claimed', 'handing_over') AND {which}
ORDER BY lease_until, {key} LIMIT :most
"""


class HeldRows:
    """What workers hold in the table of one kind: the statements that find it, and what reads a row of `columns`."""

    def __init__(self, table: str, columns: str, key: str, read: Callable[[Row], Any]) -> None:
        def held(which: str) -> str:
            return _HELD.format(table=table, columns=columns, key=key, which=which)

        self.read = read
        self.run_out = held("lease_until <= :now")
        self.too_long = held("lease_until > :longest")
        self.claimed = held("state = 'claimed' AND claim_token BETWEEN :first AND :last")
        self.past_the_fence = held("state = 'handing_over'")


@attrs.frozen
class SqlDeliveries(Generic[T]):
    """What is the same for all kinds of `ports.Deliveries`."""

    _held: ClassVar[HeldRows]

    _connection: Connection
    _skip_locked: str

    def abandoned(self, now: datetime, longest: datetime, limit: int) -> Sequence[T]:
        run_out = self._chosen(self._held.run_out + self._skip_locked, {"now": to_microseconds(now), "most": limit})
        bound = {"longest": to_microseconds(longest), "most": limit - len(run_out)}
        return [*run_out, *self._chosen(self._held.too_long + self._skip_locked, bound)]

    def claimed_by(self, worker: bytes, limit: int) -> Sequence[T]:
        first, last = first_and_last_token(worker)
        claimed = {"first": first, "last": last, "most": limit}
        return self._chosen(self._held.claimed + self._skip_locked, claimed)

    def _past_the_fence(self, limit: int) -> Sequence[T]:
        return self._chosen(self._held.past_the_fence, {"most": limit})

    def _chosen(self, statement: str, parameters: Mapping[str, object]) -> Sequence[T]:
        return [self._held.read(row) for row in self._connection.execute(statement, parameters).fetchall()]
