"""The frequency rule: a shop invites one address at most once in a number of days. Spec: §2, ADR-47."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.domain.locks import LockKind, lock_id

LONGEST_FREQUENCY_DAYS = 365
OFF = 0

WAITING = frozenset({State.SCHEDULED, State.CLAIMED})
HANDED_OVER = frozenset({State.HANDING_OVER, State.SENT, State.UNCERTAIN})

Recipient: TypeAlias = tuple[int, bytes]
"""The number of a shop, and the keyed hash of an address."""


@attrs.frozen(kw_only=True)
class Contact:
    """An invitation that counts: when it was last handed over, or when it is due if it still waits.

    `confirmed` is whether its order is: what only an open snippet reported keeps no confirmed order from an invitation.
    """

    invite_id: str
    at: datetime
    handed_over: bool
    confirmed: bool = True


Contacts: TypeAlias = Mapping[Recipient, Sequence[Contact]]


def to_frequency_days(value: float) -> int:
    """Return the days in which a shop invites one address at most once; 0 switches the rule off.

    Raises: `Invalid` unless it is a whole number from 0 to 365, which may be written `7.0`; a boolean is not a number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Invalid(Problem.WRONG_TYPE, "frequencyDays")
    if not OFF <= value <= LONGEST_FREQUENCY_DAYS:  # also false for NaN
        raise Invalid(Problem.OUT_OF_RANGE, "frequencyDays")
    if value != int(value):
        raise Invalid(Problem.WRONG_TYPE, "frequencyDays")
    return int(value)


def is_too_soon(frequency_days: int, contacts: Iterable[Contact], at: datetime, *, confirmed: bool) -> bool:
    """Return whether an invitation at this instant is less than `frequency_days` from another, before or after it.

    `confirmed` is whether its order is confirmed: only those of others that are, too, then count.
    """
    return any(
        abs(at - each.at) < timedelta(days=frequency_days) for each in contacts if each.confirmed or not confirmed
    )


def handed_over_at(invitation: Invitation, history: Iterable[Change]) -> datetime:
    """Return when an invitation was last handed over, or since when an older copy of the database leaves that in doubt.

    The time of its last change would be wrong: an opened link or an operator's decision may come much later.
    """
    times = {each.state: each.at for each in history}
    return times.get(State.HANDING_OVER) or times.get(State.UNCERTAIN) or invitation.changed_at


def recipient_lock(shop_number: int, address_hash: bytes) -> int:
    """Return the lock of one address at one shop, which keeps two of its hand-overs apart."""
    return lock_id(LockKind.RECIPIENT, f"{shop_number}\n{address_hash.hex()}")
