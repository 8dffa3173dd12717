"""A shop's invitations in figures: how many reached each state in which week. ADR-58.

Invitations that wait or are on their way are not counted, so that a reported order changes no figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import TypeAlias

from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation

WEEK = timedelta(days=7)

UNCOUNTED = frozenset({State.SCHEDULED, State.CLAIMED, State.HANDING_OVER})
ANY_WEEK = date.min
"""The week under which uncertain invitations are counted: they may leave their state in any later one."""

Place: TypeAlias = tuple[State, date]
"""A state, and the Monday of the week in which it was reached."""

InvitationFigures: TypeAlias = Mapping[Place, int]
"""Number of a shop's invitations in each place; places without any are left out."""


def week_of(day: date) -> date:
    """Return the Monday of an ISO week.

    >>> week_of(date(2026, 11, 22))
    datetime.date(2026, 11, 16)
    """
    return day - timedelta(days=day.weekday())


def place_of(state: State, changed_at: datetime) -> Place | None:
    """Return where an invitation counts that has been in this state since then; None while it is uncounted."""
    if state in UNCOUNTED:
        return None
    return state, ANY_WEEK if state is State.UNCERTAIN else week_of(changed_at.astimezone(UTC).date())


def movement(before: Invitation, after: Invitation) -> InvitationFigures:
    """Return what a transition adds to the figures, and what it takes from them."""
    added, left = place_of(after.state, after.changed_at), place_of(before.state, before.changed_at)
    if added == left:  # as in a claim and a fence: neither is counted
        return {}
    return {place: number for place, number in ((added, 1), (left, -1)) if place}
