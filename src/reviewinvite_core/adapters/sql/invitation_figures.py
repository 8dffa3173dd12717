"""Figures about invitations, as rows: a shop's invitations by state and week.

Changes are gathered and written by one statement just before the commit, sorted by key. So a transaction holds these
rows, which many share, for no longer than its commit, and two transactions cannot deadlock over them (ADR-58).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.rows import chunks, expand_values, flatten_params
from reviewinvite_core.domain.invitation_figures import (
    ANY_WEEK,
    UNCOUNTED,
    Counted,
    InvitationFigures,
    Place,
    confirmation,
    movement,
    to_counted,
)
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation

_COUNT = """
INSERT INTO invitation_figures (shop, week, state, counted) VALUES {rows}
ON CONFLICT (shop, week, state) DO UPDATE SET counted = invitation_figures.counted + excluded.counted
"""
_COUNT_ROW = "(:shop_#, :week_#, :state_#, :counted_#)"
_OF_SHOP = """
SELECT state, week, counted FROM invitation_figures WHERE shop = :shop AND week = :any_week
UNION ALL
SELECT state, week, counted FROM invitation_figures WHERE shop = :shop AND week >= :since AND week > :any_week
"""
_TOTALS = """
SELECT state, SUM(counted) FROM invitation_figures WHERE shop = :shop AND week >= :since GROUP BY state
"""
_FORGET = "DELETE FROM invitation_figures WHERE shop = :shop"
# Instants are microseconds since 1970, which is day 719,163; day 1 is a Monday.
WEEK_OF_CHANGE = "CASE state WHEN 'uncertain' THEN 1 ELSE (changed_at / 86400000000 + 719162) / 7 * 7 + 1 END"
_UNCOUNTED = ", ".join(f"'{state}'" for state in sorted(UNCOUNTED))
_IS_COUNTED = f"state NOT IN ({_UNCOUNTED})"
_IS_CONFIRMED = "(source <> 1 OR confirmation = 1)"
_APART = f"""
SELECT {{apart}} AS apart, {WEEK_OF_CHANGE} AS week, COUNT(*) FROM invitations
WHERE shop = :shop AND {_IS_COUNTED} AND state <> 'uncertain' AND {{condition}}
GROUP BY 1, 2
"""
_RECOUNT = f"""
SELECT state, {WEEK_OF_CHANGE} AS week, COUNT(*) FROM invitations WHERE shop = :shop AND {_IS_COUNTED} GROUP BY 1, 2
UNION ALL {_APART.format(apart="'website'", condition=f"NOT {_IS_CONFIRMED}")}
UNION ALL {
    _APART.format(
        apart=f"CASE WHEN {_IS_CONFIRMED} THEN 'confirmed_cancelled' ELSE 'website_cancelled' END",
        condition="reason = 'cancelled'",
    )
}
UNION ALL {_APART.format(apart="'confirmed_member'", condition=f"reason = 'member' AND {_IS_CONFIRMED}")}
"""


@attrs.define
class SqlInvitationFigures:
    """Implements `ports.InvitationFigureLog`. A week is stored as the proleptic Gregorian ordinal of its Monday.

    `freeze_statement` is the engine's way to keep others from writing the table, or empty if nobody can.
    """

    _connection: Connection
    _freeze_statement: str = ""
    _pending: list[tuple[int, Place, int]] = attrs.field(init=False, factory=list)

    def add(self, before: Invitation, after: Invitation, *, confirmed: bool) -> None:
        """Gather what a transition that was made changes; `confirmed` is whether the order is, as it is stored."""
        self._gather(before.shop_number, movement(before, after, confirmed=confirmed))

    def confirm(self, shop_number: int, state: State, reason: Reason, changed_at: datetime) -> None:
        """Gather what changes with the confirmation of an order whose invitation is as given."""
        self._gather(shop_number, confirmation(state, reason, changed_at))

    def _gather(self, shop_number: int, figures: InvitationFigures) -> None:
        self._pending += [(shop_number, place, more) for place, more in figures.items()]

    def savepoint(self) -> int:
        """Return what `roll_back` needs to forget everything gathered from now on."""
        return len(self._pending)

    def roll_back(self, savepoint: int = 0) -> None:
        """Forget what was gathered since the savepoint, or everything."""
        del self._pending[savepoint:]

    def flush(self) -> None:
        """Write what was gathered."""
        if not self._pending:  # as for each order
            return
        sums: Counter[tuple[int, Place]] = Counter()
        for shop, place, more in self._pending:
            sums[shop, place] += more
        self._pending.clear()
        self._count(sorted((shop, place, more) for (shop, place), more in sums.items() if more))

    def _count(self, figures: Sequence[tuple[int, Place, int]]) -> None:
        rows = [
            {"shop": shop, "week": week.toordinal(), "state": state.value, "counted": more}
            for shop, (state, week), more in figures
        ]
        for portion in chunks(rows):
            self._connection.execute(expand_values(_COUNT, _COUNT_ROW, len(portion)), flatten_params(portion))

    def figures(self, shop_number: int, since: date = ANY_WEEK) -> InvitationFigures:
        self.flush()
        asked = {"shop": shop_number, "any_week": ANY_WEEK.toordinal(), "since": since.toordinal()}
        rows = self._connection.execute(_OF_SHOP, asked).fetchall()
        return {(to_counted(state), date.fromordinal(week)): counted for state, week, counted in rows if counted}

    def totals(self, shop_number: int, since: date) -> Mapping[Counted, int]:
        self.flush()
        rows = self._connection.execute(_TOTALS, {"shop": shop_number, "since": since.toordinal()}).fetchall()
        return {to_counted(state): int(counted) for state, counted in rows if counted}

    def recount(self, shop_number: int) -> InvitationFigures:
        rows = self._connection.execute(_RECOUNT, {"shop": shop_number}).fetchall()
        return {(to_counted(state), date.fromordinal(week)): counted for state, week, counted in rows}

    def freeze(self) -> None:
        if self._freeze_statement:
            self._connection.execute(self._freeze_statement, {})

    def keep(self, shop_number: int, figures: InvitationFigures) -> None:
        self.roll_back()  # they are part of what was counted
        self._connection.execute(_FORGET, {"shop": shop_number})
        self._count([(shop_number, place, counted) for place, counted in figures.items()])
