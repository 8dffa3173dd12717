"""Figures about invitations, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.invitation_figures import (
    ANY_WEEK,
    Counted,
    InvitationFigures,
    Place,
    confirmation,
    movement,
    places_of,
)
from reviewinvite_core.domain.invitations import Invitation


class MemoryInvitationFigures:
    """Implements `ports.InvitationFigureLog`."""

    def __init__(self, undo_log: UndoLog, invitations: Table[tuple[int, str], Invitation]) -> None:
        self._invitations = invitations
        self._figures: Table[tuple[int, Place], int] = Table(undo_log)

    def add(self, before: Invitation, after: Invitation) -> None:
        self._move(before.shop_number, movement(before, after, confirmed=after.provenance.confirmed))

    def confirm(self, one: Invitation) -> None:
        """Count an invitation that has just been confirmed as such."""
        self._move(one.shop_number, confirmation(one.state, one.reason, one.changed_at))

    def _move(self, shop_number: int, figures: InvitationFigures) -> None:
        for place, more in figures.items():
            key = (shop_number, place)
            self._figures[key] = (self._figures.get(key) or 0) + more

    def figures(self, shop_number: int, since: date = ANY_WEEK) -> InvitationFigures:
        return {
            place: counted
            for (number, place), counted in self._figures.items()
            if number == shop_number and counted and (place[1] == ANY_WEEK or place[1] >= since)
        }

    def totals(self, shop_number: int, since: date) -> Mapping[Counted, int]:
        totals: Counter[Counted] = Counter()
        for (counted, week), number in self.figures(shop_number, since).items():
            totals[counted] += number if week >= since else 0
        return +totals

    def recount(self, shop_number: int) -> InvitationFigures:
        those = [each for each in self._invitations.values() if each.shop_number == shop_number]
        return Counter(
            place
            for each in those
            for place in places_of(each.state, each.reason, each.changed_at, confirmed=each.provenance.confirmed)
        )

    def freeze(self) -> None:
        """Do nothing: units of work run one at a time."""

    def keep(self, shop_number: int, figures: InvitationFigures) -> None:
        for key in [key for key, _ in self._figures.items() if key[0] == shop_number]:
            self._figures.pop(key)
        for place, counted in figures.items():
            self._figures[shop_number, place] = counted
