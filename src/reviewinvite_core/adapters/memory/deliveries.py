"""What is delivered, of whatever kind, in memory: what workers hold, or left behind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from reviewinvite_core.domain.deliveries import Claim, Deliverable, ItemKey
from reviewinvite_core.domain.invitation_states import State

T = TypeVar("T", bound=Deliverable)

HELD = (State.CLAIMED, State.HANDING_OVER)


class MemoryDeliveries(ABC, Generic[T]):
    """What is the same for all kinds of `ports.Deliveries`."""

    @abstractmethod
    def all(self) -> Collection[T]:
        """Return everything of this kind."""

    @abstractmethod
    def stored(self, key: ItemKey) -> T | None:
        """Return the one with this key, or None."""

    @abstractmethod
    def change(self, before: T, after: T) -> bool:
        """See `ports.Deliveries`."""

    def find_all(self, asked: Collection[ItemKey]) -> Mapping[ItemKey, T]:
        found = {key: self.stored(key) for key in asked}
        return {key: item for key, item in found.items() if item}

    def abandoned(self, now: datetime, longest: datetime, limit: int) -> Sequence[T]:
        return self._held(lambda _, claim: not now < claim.lease_until <= longest, limit)

    def claimed_by(self, worker: bytes, limit: int) -> Sequence[T]:
        return self._held(lambda state, claim: state is State.CLAIMED and claim.token.startswith(worker), limit)

    def change_all(self, changes: Sequence[tuple[T, T]]) -> Sequence[bool]:
        return [self.change(before, after) for before, after in changes]

    def _held(self, chosen: Callable[[State, Claim], bool], limit: int) -> Sequence[T]:
        held = [
            (each.claim.lease_until, each.key, each)
            for each in self.all()
            if each.state in HELD and each.claim and chosen(each.state, each.claim)
        ]
        return [each for *_, each in sorted(held, key=lambda each: each[:2])][:limit]

    def _before(self, before: T) -> T | None:
        """Return what is stored, if its state and claim are still those of `before`."""
        stored = self.stored(before.key)
        if stored is None or stored.state is not before.state:
            return None
        is_same = stored.claim is None and before.claim is None
        return stored if is_same or stored.has_claim_of(before) else None
