"""Figures about invitations, in memory."""

from __future__ import annotations

from collections import Counter
from datetime import date

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.invitation_figures import ANY_WEEK, InvitationFigures, Place, movement, place_of
from reviewinvite_core.domain.invitations import Invitation


class MemoryInvitationFigures:
    """Implements `ports.InvitationFigureLog`."""

    def __init__(self, undo_log: UndoLog, invitations: Table[tuple[int, str], Invitation]) -> None:
        self._invitations = invitations
        self._figures: Table[tuple[int, Place], int] = Table(undo_log)

    def add(self, before: Invitation, after: Invitation) -> None:
        for place, more in movement(before, after).items():
            key = (before.shop_number, place)
            self._figures[key] = (self._figures.get(key) or 0) + more

    def figures(self, shop_number: int, since: date = ANY_WEEK) -> InvitationFigures:
        return {
            place: counted
            for (number, place), counted in self._figures.items()
            if number == shop_number and counted and (place[1] == ANY_WEEK or place[1] >= since)
        }

    def recount(self, shop_number: int) -> InvitationFigures:
        those = [each for each in self._invitations.values() if each.shop_number == shop_number]
        return Counter(place for each in those if (place := place_of(each.state, each.changed_at)))

    def freeze(self) -> None:
        """Do nothing: units of work run one at a time."""

    def keep(self, shop_number: int, figures: InvitationFigures) -> None:
        for key in [key for key, _ in self._figures.items() if key[0] == shop_number]:
            self._figures.pop(key)
        for place, counted in figures.items():
            self._figures[shop_number, place] = counted
