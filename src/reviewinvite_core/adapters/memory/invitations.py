"""Invitations with their history, orders and figures, and suppressed addresses, in memory."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime

import attrs

from reviewinvite_core.adapters.memory.delivery import HELD, MemoryDeliveries, MemoryRelay
from reviewinvite_core.adapters.memory.members import MemoryMembers
from reviewinvite_core.adapters.memory.shops import MemoryShops
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.deliveries import ItemKey
from reviewinvite_core.domain.frequency import HANDED_OVER, WAITING, Contact, Contacts, Recipient, handed_over_at
from reviewinvite_core.domain.invitation_figures import (
    ANY_WEEK,
    Counted,
    InvitationFigures,
    Place,
    confirmation,
    movement,
    places_of,
)
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.provenance import Confirmation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.suppressions import REPLACED_BY, SuppressedBy, Suppression


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


class MemoryInvitations(MemoryDeliveries[Invitation]):
    """Implements `ports.Invitations`."""

    def __init__(self, undo_log: UndoLog, shops: MemoryShops, relay: MemoryRelay) -> None:
        self._relay = relay
        self._invitations: Table[tuple[int, str], Invitation] = Table(undo_log)
        self._orders: Table[tuple[int, bytes], tuple[str, datetime]] = Table(undo_log)
        self._changes: Table[tuple[int, str], tuple[Change, ...]] = Table(undo_log)
        self._shops = shops
        self.figures = MemoryInvitationFigures(undo_log, self._invitations)

    def all(self) -> Collection[Invitation]:
        return self._invitations.values()

    def schedule(self, orders: Sequence[tuple[Invitation, DedupKey]]) -> Sequence[Invitation]:
        return [self._scheduled(invitation, dedup) for invitation, dedup in orders]

    def _scheduled(self, invitation: Invitation, dedup: DedupKey) -> Invitation:
        order = (invitation.shop_number, dedup.hash)
        first = self._orders.get(order)
        renewable_until = dedup.same_order_since(invitation.reported_at)
        if first and (renewable_until is None or first[1] > renewable_until):
            stored = self.find(invitation.shop_number, first[0])
            if stored:
                return stored
        key = invitation.key
        self._orders[order] = (invitation.invite_id, invitation.reported_at)
        self._invitations[key] = invitation
        return invitation

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        return self._invitations.get((shop_number, invite_id))

    def stored(self, key: ItemKey) -> Invitation | None:
        return self._invitations.get(key)

    def locate(self, invite_id: str) -> Invitation | None:
        found = (self.find(shop.number, invite_id) for shop in self._shops.every())
        return next((invitation for invitation in found if invitation), None)

    def newest(
        self,
        *,
        shop: Shop | None,
        state: State | None,
        limit: int,
        before: str | None = None,
        order_number: str | None = None,
    ) -> Sequence[tuple[Shop, Invitation]]:
        owners = {owner.number: owner for owner in ([shop] if shop else self._shops.every())}
        chosen = [
            (owners[invitation.shop_number], invitation)
            for invitation in self._invitations.values()
            if invitation.shop_number in owners and _is_asked_for(invitation, state, before, order_number)
        ]
        chosen.sort(key=lambda pair: (pair[1].reported_at, pair[1].invite_id), reverse=True)
        return chosen[:limit]

    def uncertain(
        self, *, shop: Shop | None, reason: Reason | None, after: Invitation | None, limit: int
    ) -> Sequence[Invitation]:
        found = [
            each
            for each in self._invitations.values()
            if each.state is State.UNCERTAIN
            and (shop is None or each.shop_number == shop.number)
            and reason in (None, each.reason)
            and (after is None or each.key > after.key)
        ]
        return sorted(found, key=lambda each: each.key)[:limit]

    def of_shop(
        self, shop_number: int, *, before: str | None, order_number: str | None, limit: int, state: State | None = None
    ) -> Sequence[Invitation]:
        found = [
            each
            for each in self._invitations.values()
            if each.shop_number == shop_number and _is_asked_for(each, state, before, order_number)
        ]
        return sorted(found, key=lambda each: each.invite_id, reverse=True)[:limit]

    def history(self, invitation: Invitation) -> Sequence[Change]:
        first = Change(state=State.SCHEDULED, reason=Reason.REPORTED, at=invitation.reported_at)
        return [first, *(self._changes.get(invitation.key) or ())]

    def due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        return () if self._relay.state().outage_since else self._due(since, now, limit)

    def due_in_outage(
        self, since: datetime, now: datetime, limit: int, *, shop_number: int | None
    ) -> Sequence[Invitation]:
        refused = {each.shop_number for each in self._relay.refused_mail()}
        return [
            each
            for each in self._due(since, now, sys.maxsize)
            if (each.shop_number == shop_number if shop_number else each.shop_number not in refused)
        ][:limit]

    def _due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        active = {shop.number for shop in self._shops.every() if shop.active}
        return self._by_due_time(
            lambda waiting: since <= waiting.due_at <= now and waiting.shop_number in active, limit
        )

    def overdue(self, before: datetime, limit: int) -> Sequence[Invitation]:
        return self._by_due_time(lambda waiting: waiting.due_at < before, limit)

    def _by_due_time(self, chosen: Callable[[Invitation], bool], limit: int) -> Sequence[Invitation]:
        waiting = [
            invitation
            for invitation in self._invitations.values()
            if invitation.state is State.SCHEDULED and chosen(invitation)
        ]
        return sorted(waiting, key=lambda each: (each.due_at, *each.key))[:limit]

    def of_address(self, address_hash: bytes, *, shop_number: int | None) -> Sequence[Invitation]:
        found = [
            each
            for each in self._invitations.values()
            if each.address_hash == address_hash and shop_number in (None, each.shop_number)
        ]
        return sorted(found, key=lambda each: each.key)

    def contacts(self, asked: Collection[Recipient]) -> Contacts:
        found: dict[Recipient, list[Contact]] = {}
        for one in self._invitations.values():
            handed_over = one.state in HANDED_OVER
            if (one.shop_number, one.address_hash) in asked and (handed_over or one.state in WAITING):
                at = handed_over_at(one, self.history(one)) if handed_over else one.due_at
                confirmed = one.provenance.confirmed
                contact = Contact(invite_id=one.invite_id, at=at, handed_over=handed_over, confirmed=confirmed)
                found.setdefault((one.shop_number, one.address_hash), []).append(contact)
        return found

    def to_erase(self, before: datetime, limit: int) -> Sequence[Invitation]:
        found = [
            each
            for each in self._invitations.values()
            if each.sealed_address is not None and each.scheduled_for < before and each.state is not State.HANDING_OVER
        ]
        return sorted(found, key=lambda each: (each.scheduled_for, *each.key))[:limit]

    def count_due(self, now: datetime, most: int) -> int:
        return len(self._due(datetime.min.replace(tzinfo=now.tzinfo), now, most))

    def oldest_due(self, now: datetime) -> datetime | None:
        return next((each.due_at for each in self._due(datetime.min.replace(tzinfo=now.tzinfo), now, 1)), None)

    def in_doubt(self, until: datetime | None, limit: int) -> Sequence[Invitation]:
        if until is None:
            return [each for each in self._invitations.values() if each.state is State.HANDING_OVER][:limit]
        held = [found for found in self._invitations.values() if found.state in HELD]
        waiting = self._by_due_time(lambda each: min(each.due_at, each.scheduled_for) <= until, limit)
        return [*held, *waiting][:limit]

    def change(self, before: Invitation, after: Invitation) -> bool:
        key, stored = before.key, self._before(before)
        if stored is None:
            return False
        kept = attrs.evolve(after, sealed_address=stored.sealed_address, provenance=stored.provenance)
        self._invitations[key] = kept
        change = Change(state=after.state, reason=after.reason, at=after.changed_at, reply=after.reply)
        self._changes[key] = (*(self._changes.get(key) or ()), change)
        self.figures.add(before, kept)
        return True

    def settle(self, invitation: Invitation, confirmation: Confirmation) -> bool:
        key = invitation.key
        stored = self._invitations.get(key)
        if stored is None or stored.provenance.confirmation is not Confirmation.MISSING:
            return False
        provenance = attrs.evolve(stored.provenance, confirmation=confirmation)
        self._invitations[key] = attrs.evolve(stored, provenance=provenance)
        if provenance.confirmed:
            self.figures.confirm(stored)
        return True

    def forget_address(self, invitation: Invitation) -> bool:
        key = invitation.key
        stored = self._invitations.get(key)
        if stored is None or stored.sealed_address is None:
            return False
        self._invitations[key] = attrs.evolve(stored, sealed_address=None)
        return True


def _is_asked_for(invitation: Invitation, state: State | None, before: str | None, order_number: str | None) -> bool:
    return (
        state in (None, invitation.state)
        and (before is None or invitation.invite_id < before)
        and order_number in (None, invitation.order_number)
    )


class MemorySuppressions:
    """Implements `ports.Suppressions`."""

    def __init__(self, undo_log: UndoLog, members: MemoryMembers) -> None:
        self._members = members
        self._suppressions: Table[tuple[int | None, bytes], Suppression] = Table(undo_log)

    def covers(self, shop_number: int, address_hash: bytes, now: datetime) -> bool:
        found = (self._suppressions.get((shop, address_hash)) for shop in (None, shop_number))
        return any(each.holds_at(now) for each in found if each)

    def covered(self, asked: Sequence[tuple[int, bytes]], now: datetime) -> Collection[tuple[int, bytes]]:
        return {pair for pair in asked if self.covers(*pair, now)}

    def reasons_against(self, asked: Sequence[tuple[int, bytes, bytes]], now: datetime) -> Mapping[int, Reason]:
        def reason(shop_number: int, address_hash: bytes, person_hash: bytes) -> Reason | None:
            if self.covers(shop_number, address_hash, now):
                return Reason.OPTED_OUT
            return Reason.MEMBER if self._members.has_opened(shop_number, person_hash) else None

        return {place: found for place, each in enumerate(asked) if (found := reason(*each))}

    def is_dead(self, address_hash: bytes, now: datetime) -> bool:
        found = self._suppressions.get((None, address_hash))
        return found is not None and found.by is SuppressedBy.BOUNCE and found.holds_at(now)

    def add(self, suppression: Suppression) -> bool:
        key = (suppression.shop_number, suppression.address_hash)
        existing = self._suppressions.get(key)
        if existing is None or existing.by in REPLACED_BY[suppression.by]:
            self._suppressions[key] = suppression
        return existing is None

    def remove(
        self, address_hash: bytes, *, shop_number: int | None, by: SuppressedBy | None = None
    ) -> Suppression | None:
        existing = self._suppressions.get((shop_number, address_hash))
        if existing is None or by not in (None, existing.by):
            return None
        return self._suppressions.pop((shop_number, address_hash))

    def of_address(self, address_hash: bytes) -> Sequence[Suppression]:
        existing = (each for each in self._suppressions.values() if each.address_hash == address_hash)
        return sorted(existing, key=lambda each: each.shop_number or 0)

    def newest(self, limit: int, now: datetime, before: Bookmark | None = None) -> Sequence[Suppression]:
        found = [each for each in self._suppressions.values() if each.holds_at(now)]
        if before:
            found = [each for each in found if _place(each.bookmark) < _place(before)]
        return sorted(found, key=lambda each: _place(each.bookmark), reverse=True)[:limit]

    def sweep(self, now: datetime, limit: int) -> int:
        expired = [each for each in self._suppressions.values() if not each.holds_at(now)][:limit]
        for each in expired:
            self._suppressions.pop((each.shop_number, each.address_hash))
        return len(expired)


def _place(bookmark: Bookmark) -> tuple[datetime, str]:
    return bookmark.at, bookmark.review_id
