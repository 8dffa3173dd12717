"""What every kind of delivery shares: states, a claim with a lease, a schedule of attempts. Spec: §3, §6, ADR-7."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar, Self, TypeAlias

import attrs

from reviewinvite_core.domain.invitation_states import Reason, State, TransitionForbidden

Transitions: TypeAlias = Mapping[tuple[State, State], frozenset[Reason]]

ItemKey: TypeAlias = tuple[int, str]
"""Names what is delivered, in the mark and in a retry, too: the number of its shop, and its id."""


@attrs.frozen(kw_only=True)
class Claim:
    """A worker's claim on what it delivers: an unguessable token and the end of the lease."""

    token: bytes = attrs.field(repr=False)
    lease_until: datetime

    def holds(self, token: bytes, now: datetime) -> bool:
        """Return whether this is the claim with this token, and its lease has not ended."""
        return self.token == token and now < self.lease_until


@attrs.frozen(kw_only=True)
class Deliverable(ABC):
    """What a worker claims, delivers and tries again, or sweeps once another has left it behind.

    A kind declares its `transitions`, and in `lost_answer` what becomes of one that was handed over without an answer:
    `uncertain` if it must never arrive twice, as mail, `scheduled` if it may. It also declares these fields again,
    among its own, in the order in which JSON shows them.

    `due_at` is when the next attempt may be made. `refused_at` is when the mail server last refused it, in this series
    of attempts, in a way that names neither its mailbox nor its content.
    """

    transitions: ClassVar[Transitions]
    lost_answer: ClassVar[State]

    address_hash: bytes = attrs.field(repr=False)
    state: State
    reason: Reason | None
    changed_at: datetime
    due_at: datetime
    reply: str | None
    attempts: int
    claim: Claim | None
    refused_at: datetime | None

    @property
    @abstractmethod
    def key(self) -> ItemKey:
        """The number of its shop, and its id."""

    @property
    @abstractmethod
    def lock(self) -> int:
        """The lock of this one."""

    def moved(
        self,
        to: State,
        reason: Reason,
        at: datetime,
        *,
        claim: Claim | None = None,
        due_at: datetime | None = None,
        reply: str | None = None,
    ) -> Self:
        """Return the item moved to the state `to`, for `reason`, at the instant `at`.

        The current claim is dropped unless it is passed as `claim`. Only a hand-over in doubt keeps it, for a late
        answer; a mere claim awaits none. Each move to `claimed` counts as an attempt.

        Raises: `TransitionForbidden` if the table has no such transition.
        """
        if not self.can_move(to, reason):
            message = f"{self.state} -> {to} ({reason})"
            raise TransitionForbidden(message)
        if to is State.UNCERTAIN and self.state is State.HANDING_OVER:
            claim = self.claim
        return self._after(to, reason, at, claim=claim, due_at=due_at or self.due_at, reply=reply)

    @abstractmethod
    def _after(
        self, to: State, reason: Reason, at: datetime, *, claim: Claim | None, due_at: datetime, reply: str | None
    ) -> Self: ...

    def can_move(self, to: State, reason: Reason) -> bool:
        """Return whether the table has this transition."""
        return reason in self.transitions.get((self.state, to), ())

    def held_by(self, token: bytes, now: datetime) -> bool:
        """Return whether the claim with this token still holds: the first half of the fence."""
        return self.state is State.CLAIMED and self.claim is not None and self.claim.holds(token, now)

    def has_claim_of(self, item: Deliverable) -> bool:
        """Return whether it is still held by the claim of `item`, whether or not the lease has ended."""
        return self.claim is not None and item.claim is not None and self.claim.token == item.claim.token
