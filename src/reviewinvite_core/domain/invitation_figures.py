"""A shop's invitations in figures: how many reached each state in which week, and some of them apart. ADR-58, ADR-67.

Invitations that wait or are on their way are not counted, so that a reported order changes no figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation

WEEK = timedelta(days=7)

UNCOUNTED = frozenset({State.SCHEDULED, State.CLAIMED, State.HANDING_OVER})
ANY_WEEK = date.min
"""The week under which uncertain invitations are counted: they may leave their state in any later one."""


class Aside(StrEnum):
    """What is also counted apart of the invitations that have ended: those that the public page speaks of."""

    WEBSITE = "website"
    """Of orders that are not confirmed: only an open snippet has reported them."""

    WEBSITE_CANCELLED = "website_cancelled"
    CONFIRMED_CANCELLED = "confirmed_cancelled"
    CONFIRMED_MEMBER = "confirmed_member"


Counted: TypeAlias = State | Aside
Place: TypeAlias = tuple[Counted, date]
"""A state, or what is counted apart, and the Monday of the week in which it was reached."""

InvitationFigures: TypeAlias = Mapping[Place, int]
"""Number of a shop's invitations in each place; places without any are left out."""

_APART: Mapping[tuple[Reason, bool], Aside] = {
    (Reason.CANCELLED, True): Aside.CONFIRMED_CANCELLED,
    (Reason.CANCELLED, False): Aside.WEBSITE_CANCELLED,
    (Reason.MEMBER, True): Aside.CONFIRMED_MEMBER,
}


@attrs.frozen(kw_only=True)
class Shares:
    """What became of a shop's invitations, per 100 that have ended; None if there were none.

    `cancelled` and `members`, which were kept back, are of confirmed orders, `website_cancelled` of the others. No
    totals: they are the shop's business.
    """

    cancelled: int | None
    members: int | None
    website_cancelled: int | None

    @classmethod
    def of(cls, totals: Mapping[Counted, int]) -> Shares:
        """Return the shares in these totals of all states, and of what is counted apart."""
        website = totals.get(Aside.WEBSITE, 0)
        ended = sum(number for counted, number in totals.items() if isinstance(counted, State))
        return cls(
            cancelled=_per_100(totals.get(Aside.CONFIRMED_CANCELLED, 0), ended - website),
            members=_per_100(totals.get(Aside.CONFIRMED_MEMBER, 0), ended - website),
            website_cancelled=_per_100(totals.get(Aside.WEBSITE_CANCELLED, 0), website),
        )


def _per_100(part: int, whole: int) -> int | None:
    """Return the part of 100, halves rounded up; what is more than nothing is at least 1. None if there is no whole."""
    if whole <= 0:
        return None
    return max(1, (200 * part + whole) // (2 * whole)) if part else 0


def week_of(day: date) -> date:
    """Return the Monday of an ISO week.

    >>> week_of(date(2026, 11, 22))
    datetime.date(2026, 11, 16)
    """
    return day - timedelta(days=day.weekday())


def places_of(state: State, reason: Reason, changed_at: datetime, *, confirmed: bool) -> Iterable[Place]:
    """Yield where an invitation counts that has been in this state since then; nothing while it is uncounted."""
    if state in UNCOUNTED:
        return
    if state is State.UNCERTAIN:
        yield state, ANY_WEEK
        return
    week = week_of(changed_at.astimezone(UTC).date())
    yield state, week
    if not confirmed:
        yield Aside.WEBSITE, week
    if apart := _APART.get((reason, confirmed)):
        yield apart, week


def movement(before: Invitation, after: Invitation, *, confirmed: bool) -> InvitationFigures:
    """Return what a transition adds to the figures, and what it takes from them.

    `confirmed` is whether the order is: it may have been confirmed since the invitation was read.
    """
    if before.state in UNCOUNTED and after.state in UNCOUNTED:  # as in a claim and a fence
        return {}
    moved: Counter[Place] = Counter(places_of(after.state, after.reason, after.changed_at, confirmed=confirmed))
    moved.subtract(places_of(before.state, before.reason, before.changed_at, confirmed=confirmed))
    return {place: number for place, number in moved.items() if number}


def confirmation(state: State, reason: Reason, changed_at: datetime) -> InvitationFigures:
    """Return what the confirmation of the order adds to the figures, and what it takes from them."""
    moved: Counter[Place] = Counter(places_of(state, reason, changed_at, confirmed=True))
    moved.subtract(places_of(state, reason, changed_at, confirmed=False))
    return {place: number for place, number in moved.items() if number}


def to_counted(text: str) -> Counted:
    """Return the state, or what is counted apart, with this name."""
    return Aside(text) if text in _ASIDES else State(text)


_ASIDES = frozenset(Aside)
