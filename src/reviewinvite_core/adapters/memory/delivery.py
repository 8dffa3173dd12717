"""What is delivered, the hosts that deliver, and what is known about the mail server, in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

import attrs

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.deliveries import Claim, Deliverable, ItemKey
from reviewinvite_core.domain.handovers import Ahead, DeliveryHost
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.notices import SHOP_OF_NOTICES, Notice
from reviewinvite_core.domain.relay import RefusedMail, Relay

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


MOST_NOTED = 64


class MemoryRelay:
    """Implements `ports.RelayLog`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._relay: Table[int, Relay] = Table(undo_log)
        self._mail: Table[tuple[int, bytes], RefusedMail] = Table(undo_log)

    def state(self) -> Relay:
        return self._relay.get(1) or Relay()

    def lock(self) -> Relay:
        return self.state()

    def keep(self, relay: Relay) -> None:
        self._relay[1] = relay

    def refused_mail(self) -> Sequence[RefusedMail]:
        return sorted(self._mail.values(), key=lambda each: (each.at, each.shop_number, each.domain))

    def note_mail(self, refused: Collection[tuple[int, bytes]], at: datetime) -> None:
        for shop, domain in refused:
            if len(self._mail.values()) < MOST_NOTED or self._mail.get((shop, domain)):
                self._mail[shop, domain] = RefusedMail(shop_number=shop, domain=domain, at=at)

    def forget_mail(self) -> None:
        for each in self._mail.values():
            self._mail.pop((each.shop_number, each.domain))


class MemoryHosts:
    """Implements `ports.DeliveryHosts`."""

    def __init__(self, undo_log: UndoLog, relay: MemoryRelay) -> None:
        self._relay = relay
        self._hosts: Table[str, DeliveryHost] = Table(undo_log)

    def every(self) -> Sequence[DeliveryHost]:
        return sorted(self._hosts.values(), key=lambda each: each.host)

    def with_all_ahead(self, host: str) -> Sequence[DeliveryHost]:
        return [each for each in self.every() if each.host == host or each.ahead is not None]

    def register(self, host: str) -> None:
        if self._hosts.get(host) is None:
            self._hosts[host] = DeliveryHost(host=host, fence=0)

    def raise_fence(self, host: str, count: int = 1) -> tuple[int, bool]:
        known = self._known(host)
        self._hosts[host] = attrs.evolve(known, fence=known.fence + count)
        return known.fence + count, self._relay.state().is_acceptance_awaited

    def note_ahead(self, ahead: Ahead) -> None:
        known = self._hosts.get(ahead.host)
        self._hosts[ahead.host] = DeliveryHost(
            host=ahead.host,
            fence=known.fence if known else 0,
            ahead=ahead.number,
            horizon=ahead.horizon,
            named=ahead.named,
        )

    def catch_up(self, host: str, number: int) -> None:
        self._hosts[host] = DeliveryHost(host=host, fence=max(self._known(host).fence, number))

    def _known(self, host: str) -> DeliveryHost:
        known = self._hosts.get(host)
        assert known is not None  # noqa: S101 - the caller has registered it
        return known


class MemoryNotices(MemoryDeliveries[Notice]):
    """Implements `ports.Notices`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._notices: Table[str, Notice] = Table(undo_log)

    def all(self) -> Collection[Notice]:
        return self._notices.values()

    def add(self, notice: Notice) -> None:
        self._notices[notice.message_id] = notice

    def add_or_renew(self, notice: Notice) -> bool:
        stored = self._notices.get(notice.message_id)
        if stored and stored.state not in (State.SCHEDULED, *HELD):
            return False
        self._notices[notice.message_id] = attrs.evolve(stored or notice, expires_at=notice.expires_at)
        return True

    def find(self, message_id: str) -> Notice | None:
        return self._notices.get(message_id)

    def stored(self, key: ItemKey) -> Notice | None:
        shop_number, message_id = key
        return self.find(message_id) if shop_number == SHOP_OF_NOTICES else None

    def due(self, now: datetime, limit: int) -> Sequence[Notice]:
        return self._chosen(
            lambda each: each.state is State.SCHEDULED and each.due_at <= now < each.expires_at,
            lambda each: (each.kind.priority, each.due_at, each.message_id),
        )[:limit]

    def is_any_due(self, now: datetime) -> bool:
        return bool(self.due(now, 1))

    def overdue(self, before: datetime, limit: int) -> Sequence[Notice]:
        return self._chosen(
            lambda each: each.state is State.SCHEDULED and each.expires_at <= before,
            lambda each: (each.expires_at, each.message_id),
        )[:limit]

    def in_doubt(self, until: datetime | None, limit: int) -> Sequence[Notice]:
        def is_doubtful(each: Notice) -> bool:
            if until is None:
                return each.state is State.HANDING_OVER
            return each.state in HELD or (each.state is State.SCHEDULED and each.queued_at <= until)

        return self._chosen(is_doubtful, lambda each: each.message_id)[:limit]

    def of_address(self, address_hash: bytes) -> Sequence[Notice]:
        return self._chosen(
            lambda each: each.address_hash == address_hash, lambda each: (each.queued_at, each.message_id)
        )

    def change(self, before: Notice, after: Notice) -> bool:
        stored = self._before(before)
        if stored is None:
            return False
        sealed = after.sealed and stored.sealed
        self._notices[before.message_id] = attrs.evolve(after, sealed=sealed, expires_at=stored.expires_at)
        return True

    def forget_content(self, message_id: str) -> bool:
        stored = self._notices.get(message_id)
        if stored is None or stored.sealed is None:
            return False
        self._notices[message_id] = attrs.evolve(stored, sealed=None)
        return True

    def sweep(self, before: datetime, limit: int) -> int:
        old = self._chosen(
            lambda each: each.expires_at < before and each.state is not State.HANDING_OVER,
            lambda each: (each.expires_at, each.message_id),
        )[:limit]
        for each in old:
            self._notices.pop(each.message_id)
        return len(old)

    def _chosen(self, chosen: Callable[[Notice], bool], key: Callable[[Notice], Any]) -> Sequence[Notice]:
        return sorted(filter(chosen, self._notices.values()), key=key)
