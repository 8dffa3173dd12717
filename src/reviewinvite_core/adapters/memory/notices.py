"""Notices, in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any

import attrs

from reviewinvite_core.adapters.memory.deliveries import HELD, MemoryDeliveries
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.deliveries import ItemKey
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.notices import SHOP_OF_NOTICES, Notice


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
