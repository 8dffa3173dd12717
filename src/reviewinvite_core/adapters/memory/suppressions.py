"""Suppressed addresses in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from reviewinvite_core.adapters.memory.members import MemoryMembers
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.invitation_states import Reason
from reviewinvite_core.domain.suppressions import REPLACED_BY, SuppressedBy, Suppression


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
