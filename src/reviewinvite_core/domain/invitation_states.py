"""The states of an invitation and the only table of transitions between them. Spec: §3.

Every change of state goes through `Invitation.moved`, which enforces this table. docs/states.md is generated from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class State(StrEnum):
    """State of an invitation."""

    SCHEDULED = "scheduled"
    CLAIMED = "claimed"
    HANDING_OVER = "handing_over"
    SENT = "sent"
    UNCERTAIN = "uncertain"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    SUPPRESSED = "suppressed"
    EXPIRED = "expired"

    @property
    def final(self) -> bool:
        """Whether no transition leaves this state."""
        return not any(before is self for before, _ in TRANSITIONS)


class Reason(StrEnum):
    """Why an invitation changed its state."""

    REPORTED = "reported"
    CLAIMED = "claimed"
    CANCELLED = "cancelled"
    ERASED = "erased"
    OPTED_OUT = "opted_out"
    RECENTLY_INVITED = "recently_invited"
    MEMBER = "member"
    OVERDUE = "overdue"
    LEASE_EXPIRED = "lease_expired"
    REFUSED_FOR_NOW = "refused_for_now"
    UNREACHABLE = "unreachable"
    SHOP_INACTIVE = "shop_inactive"
    SHUTDOWN = "shutdown"
    PAUSED = "paused"
    FAULT = "fault"
    MARK_UNWRITTEN = "mark_unwritten"
    REFUSED = "refused"
    NOT_RENDERABLE = "not_renderable"
    RETRIES_EXHAUSTED = "retries_exhausted"
    FENCED = "fenced"
    ACCEPTED = "accepted"
    ANSWER_LOST = "answer_lost"
    PROCESS_DIED = "process_died"
    LINK_OPENED = "link_opened"
    REVIEWED = "reviewed"
    OPERATOR = "operator"
    RETRIED = "retried"
    RECONCILED = "reconciled"


TRANSITIONS: Mapping[tuple[State, State], frozenset[Reason]] = MappingProxyType(
    {
        (State.SCHEDULED, State.CLAIMED): frozenset({Reason.CLAIMED}),
        (State.SCHEDULED, State.CANCELLED): frozenset({Reason.CANCELLED, Reason.ERASED}),
        (State.SCHEDULED, State.SUPPRESSED): frozenset({Reason.OPTED_OUT, Reason.RECENTLY_INVITED, Reason.MEMBER}),
        (State.SCHEDULED, State.EXPIRED): frozenset({Reason.OVERDUE}),
        (State.SCHEDULED, State.SCHEDULED): frozenset({Reason.OPERATOR}),
        (State.SCHEDULED, State.UNCERTAIN): frozenset({Reason.RECONCILED}),
        (State.SCHEDULED, State.SENT): frozenset({Reason.REVIEWED}),
        (State.CLAIMED, State.SCHEDULED): frozenset(
            {
                Reason.LEASE_EXPIRED,
                Reason.REFUSED_FOR_NOW,
                Reason.UNREACHABLE,
                Reason.SHOP_INACTIVE,
                Reason.SHUTDOWN,
                Reason.PAUSED,
                Reason.FAULT,
            }
        ),
        (State.CLAIMED, State.REJECTED): frozenset({Reason.REFUSED, Reason.NOT_RENDERABLE, Reason.RETRIES_EXHAUSTED}),
        (State.CLAIMED, State.CANCELLED): frozenset({Reason.CANCELLED, Reason.ERASED}),
        (State.CLAIMED, State.SUPPRESSED): frozenset({Reason.OPTED_OUT, Reason.RECENTLY_INVITED}),
        (State.CLAIMED, State.UNCERTAIN): frozenset({Reason.RECONCILED}),
        (State.CLAIMED, State.SENT): frozenset({Reason.REVIEWED}),
        (State.CLAIMED, State.HANDING_OVER): frozenset({Reason.FENCED}),
        (State.HANDING_OVER, State.SENT): frozenset({Reason.ACCEPTED}),
        (State.HANDING_OVER, State.REJECTED): frozenset({Reason.REFUSED, Reason.RETRIES_EXHAUSTED}),
        (State.HANDING_OVER, State.SCHEDULED): frozenset({Reason.REFUSED_FOR_NOW, Reason.MARK_UNWRITTEN, Reason.FAULT}),
        (State.HANDING_OVER, State.UNCERTAIN): frozenset({Reason.ANSWER_LOST, Reason.PROCESS_DIED, Reason.RECONCILED}),
        (State.UNCERTAIN, State.SENT): frozenset({Reason.ACCEPTED, Reason.LINK_OPENED, Reason.OPERATOR}),
        (State.UNCERTAIN, State.REJECTED): frozenset({Reason.REFUSED, Reason.RETRIES_EXHAUSTED}),
        (State.UNCERTAIN, State.SCHEDULED): frozenset({Reason.REFUSED_FOR_NOW, Reason.OPERATOR}),
        (State.REJECTED, State.SCHEDULED): frozenset({Reason.RETRIED}),
        (State.REJECTED, State.UNCERTAIN): frozenset({Reason.RECONCILED}),
    }
)


class TransitionForbidden(Exception):
    """A change of state that is not in the table: a bug in the program, never the user's fault."""
