"""Storage in memory, with transactions: for tests, trials and embedders who need no durability.

A real storage, not a mock: it passes the contract suite that the databases pass, rollback included.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from typing import Generic, TypeVar

import attrs

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.invitations import Change, Invitation, Reason, State
from reviewinvite_core.domain.limits import Subject
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.shop import NewShop, Shop
from reviewinvite_core.ports import Condition, Done, Failed, Outcome, Place, Unit

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_HELD = (State.CLAIMED, State.HANDING_OVER)


class _Journal:
    """How to undo what the running unit has done, the last thing first."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []

    def note(self, undo: Callable[[], object]) -> None:
        self._undo.append(undo)

    def mark(self) -> int:
        return len(self._undo)

    def forget(self) -> None:
        self._undo.clear()

    def roll_back(self, to: int = 0) -> None:
        while len(self._undo) > to:
            self._undo.pop()()


class _Table(Generic[K, V]):
    """A dictionary of immutable rows that tells the journal how to undo each change."""

    def __init__(self, journal: _Journal) -> None:
        self._rows: dict[K, V] = {}
        self._journal = journal

    def __setitem__(self, key: K, row: V) -> None:
        rows = self._rows
        if key in rows:
            before = rows[key]
            self._journal.note(lambda: rows.__setitem__(key, before))
        else:
            self._journal.note(lambda: rows.pop(key))
        rows[key] = row

    def get(self, key: K) -> V | None:
        return self._rows.get(key)

    def values(self) -> Sequence[V]:
        return list(self._rows.values())

    def items(self) -> Sequence[tuple[K, V]]:
        return list(self._rows.items())


class MemoryShops:
    """The shops."""

    def __init__(self, journal: _Journal) -> None:
        self._shops: _Table[int, Shop] = _Table(journal)

    def add(self, shop: NewShop) -> Shop | None:
        """See `ports.Shops`."""
        if self.by_site_id(shop.site_id.text):
            return None
        stored = shop.numbered(len(self._shops.values()) + 1)
        self._shops[stored.number] = stored
        return stored

    def by_site_id(self, site_id: str) -> Shop | None:
        """See `ports.Shops`."""
        return next((shop for shop in self._shops.values() if shop.site_id.text == site_id), None)

    def by_number(self, number: int) -> Shop | None:
        """See `ports.Shops`."""
        return self._shops.get(number)

    def every(self) -> Sequence[Shop]:
        """See `ports.Shops`."""
        return sorted(self._shops.values(), key=lambda shop: shop.site_id.text)

    def change(self, shop: Shop) -> None:
        """See `ports.Shops`."""
        self._shops[shop.number] = shop


class MemoryApiKeys:
    """The API keys."""

    def __init__(self, journal: _Journal, shops: MemoryShops) -> None:
        self._keys: _Table[str, ApiKey] = _Table(journal)
        self._shops = shops

    def add(self, key: ApiKey) -> None:
        """See `ports.ApiKeys`."""
        self._keys[key.key_id] = key

    def holder(self, key_hash: bytes) -> tuple[ApiKey, Shop] | None:
        """See `ports.ApiKeys`."""
        key = next((key for key in self._keys.values() if key.hash == key_hash), None)
        shop = self._shops.by_number(key.shop_number) if key else None
        return (key, shop) if key and shop else None

    def by_id(self, key_id: str) -> ApiKey | None:
        """See `ports.ApiKeys`."""
        return self._keys.get(key_id)

    def of_shop(self, shop_number: int) -> Sequence[ApiKey]:
        """See `ports.ApiKeys`."""
        keys = (key for key in self._keys.values() if key.shop_number == shop_number)
        return sorted(keys, key=lambda key: (key.created_at, key.key_id))

    def revoke(self, key_id: str, at: datetime) -> None:
        """See `ports.ApiKeys`."""
        key = self._keys.get(key_id)
        if key and key.revoked_at is None:
            self._keys[key_id] = attrs.evolve(key, revoked_at=at)


class MemoryTallies:
    """What limits count: the instants admitted, the oldest first, a subject at a time."""

    def __init__(self, journal: _Journal) -> None:
        self._admitted: _Table[Subject, tuple[datetime, ...]] = _Table(journal)

    def nth_newest(self, subject: Subject, count: int) -> datetime | None:
        """See `ports.Tallies`."""
        admitted = self._admitted.get(subject) or ()
        return admitted[-count] if len(admitted) >= count else None

    def admit(self, subject: Subject, at: datetime, *, replacing_nth: int | None) -> None:
        """See `ports.Tallies`."""
        admitted = self._admitted.get(subject) or ()
        if replacing_nth:
            index = len(admitted) - replacing_nth
            admitted = admitted[:index] + admitted[index + 1 :]
        self._admitted[subject] = (*admitted, at)

    def sweep(self, *, before: datetime, after: datetime) -> int:
        """See `ports.Tallies`."""
        forgotten = 0
        for subject, admitted in self._admitted.items():
            kept = tuple(at for at in admitted if before <= at <= after)
            if len(kept) < len(admitted):
                forgotten += len(admitted) - len(kept)
                self._admitted[subject] = kept
        return forgotten


class MemoryInvitations:
    """The invitations, and which order each belongs to."""

    def __init__(self, journal: _Journal, shops: MemoryShops) -> None:
        self._invitations: _Table[tuple[int, str], Invitation] = _Table(journal)
        self._orders: _Table[tuple[int, bytes], tuple[str, datetime]] = _Table(journal)
        self._address_hashes: _Table[tuple[int, str], bytes] = _Table(journal)
        self._changes: _Table[tuple[int, str], tuple[Change, ...]] = _Table(journal)
        self._shops = shops

    def schedule(self, invitation: Invitation, dedup: DedupKey, address_hash: bytes) -> Invitation:
        """See `ports.Invitations`."""
        order = (invitation.shop_number, dedup.hash)
        first = self._orders.get(order)
        renewable_until = dedup.same_order_since(invitation.reported_at)
        if first and (renewable_until is None or first[1] > renewable_until):
            standing = self.find(invitation.shop_number, first[0])
            if standing:
                return standing
        key = (invitation.shop_number, invitation.invite_id)
        self._orders[order] = (invitation.invite_id, invitation.reported_at)
        self._invitations[key] = invitation
        self._address_hashes[key] = address_hash
        return invitation

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        """See `ports.Invitations`."""
        return self._invitations.get((shop_number, invite_id))

    def locate(self, invite_id: str) -> Invitation | None:
        """See `ports.Invitations`."""
        found = (self.find(shop.number, invite_id) for shop in self._shops.every())
        return next((invitation for invitation in found if invitation), None)

    def newest(self, *, shop: Shop | None, state: State | None, limit: int) -> Sequence[tuple[Shop, Invitation]]:
        """See `ports.Invitations`."""
        owners = {owner.number: owner for owner in ([shop] if shop else self._shops.every())}
        chosen = [
            (owners[invitation.shop_number], invitation)
            for invitation in self._invitations.values()
            if invitation.shop_number in owners and state in (None, invitation.state)
        ]
        chosen.sort(key=lambda pair: (pair[1].reported_at, pair[1].invite_id), reverse=True)
        return chosen[:limit]

    def history(self, invitation: Invitation) -> Sequence[Change]:
        """See `ports.Invitations`."""
        first = Change(state=State.SCHEDULED, reason=Reason.REPORTED, at=invitation.reported_at)
        return [first, *(self._changes.get((invitation.shop_number, invitation.invite_id)) or ())]

    def due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        """See `ports.Invitations`."""
        active = {shop.number for shop in self._shops.every() if shop.active}
        return self._by_due_time(
            lambda waiting: since <= waiting.due_at <= now and waiting.shop_number in active, limit
        )

    def overdue(self, before: datetime, limit: int) -> Sequence[Invitation]:
        """See `ports.Invitations`."""
        return self._by_due_time(lambda waiting: waiting.due_at < before, limit)

    def _by_due_time(self, chosen: Callable[[Invitation], bool], limit: int) -> Sequence[Invitation]:
        waiting = [
            invitation
            for invitation in self._invitations.values()
            if invitation.state is State.SCHEDULED and chosen(invitation)
        ]
        return sorted(waiting, key=lambda each: (each.due_at, each.shop_number, each.invite_id))[:limit]

    def abandoned(self, now: datetime, limit: int) -> Sequence[Invitation]:
        """See `ports.Invitations`."""
        over = [
            (found.claim.lease_until, found.shop_number, found.invite_id, found)
            for found in self._invitations.values()
            if found.state in _HELD and found.claim and found.claim.lease_until <= now
        ]
        return [found for *_, found in sorted(over, key=lambda each: each[:3])][:limit]

    def change(self, before: Invitation, after: Invitation) -> bool:
        """See `ports.Invitations`."""
        key = (before.shop_number, before.invite_id)
        stored = self._invitations.get(key)
        if stored is None or stored.state is not before.state or _token(stored) != _token(before):
            return False
        self._invitations[key] = after
        change = Change(state=after.state, reason=after.reason, at=after.changed_at, reply=after.reply)
        self._changes[key] = (*(self._changes.get(key) or ()), change)
        return True


def _token(invitation: Invitation) -> bytes | None:
    return invitation.claim.token if invitation.claim else None


class _MemoryStore:
    def __init__(self, journal: _Journal) -> None:
        self.shops = MemoryShops(journal)
        self.api_keys = MemoryApiKeys(journal, self.shops)
        self.tallies = MemoryTallies(journal)
        self.invitations = MemoryInvitations(journal, self.shops)
        self._key_ring: _Table[str, bytes] = _Table(journal)

    def now(self) -> None:
        return None

    def sealed_key_ring(self) -> bytes | None:
        return self._key_ring.get("ring")

    def keep_key_ring(self, sealed: bytes) -> None:
        self._key_ring["ring"] = sealed


class MemoryStorage:
    """Storage that lasts as long as the process; one unit of work at a time."""

    units_only_compute = True
    batches_at_once = 1

    def __init__(self) -> None:
        self._journal = _Journal()
        self._store = _MemoryStore(self._journal)
        self._one_at_a_time = threading.RLock()

    def run(self, unit: Unit[T]) -> T:
        """See `ports.Storage`."""
        with self._one_at_a_time:
            try:
                return unit(self._store)
            except BaseException:
                self._journal.roll_back()
                raise
            finally:
                self._journal.forget()

    def run_all(self, units: Sequence[Unit[object]], *, place: Place | None = None) -> Sequence[Outcome]:
        """See `ports.Storage`."""

        def run_each() -> Sequence[Outcome]:
            with self._one_at_a_time:
                try:
                    return [self._outcome(unit) for unit in units]
                except BaseException:
                    self._journal.roll_back()
                    raise
                finally:
                    self._journal.forget()

        return place.run(run_each) if place else run_each()

    def _outcome(self, unit: Unit[object]) -> Outcome:
        begun = self._journal.mark()
        try:
            return Done(unit(self._store))
        except Exception as error:
            self._journal.roll_back(begun)
            return Failed(error)

    def read(self, unit: Unit[T]) -> T:
        """See `ports.Storage`."""
        with self._one_at_a_time:
            try:
                return unit(self._store)
            finally:
                self._journal.roll_back()

    def problems(self) -> Sequence[str]:
        """See `ports.Storage`."""
        return []

    def condition(self) -> Condition:
        """See `ports.Storage`."""
        return Condition(engine="memory")

    def close(self) -> None:
        """See `ports.Storage`."""
