"""Heartbeats of workers, and what they hold, in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from reviewinvite_core.adapters.memory.delivery import MemoryNotices
from reviewinvite_core.adapters.memory.invitations import MemoryInvitations
from reviewinvite_core.adapters.memory.shops import MemoryShops
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.domain.workers import Heartbeat


class MemoryWorkers:
    """Implements `ports.Workers`."""

    def __init__(
        self, undo_log: UndoLog, invitations: MemoryInvitations, notices: MemoryNotices, shops: MemoryShops
    ) -> None:
        self._invitations = invitations
        self._notices = notices
        self._shops = shops
        self._beats: Table[bytes, Heartbeat] = Table(undo_log)

    def beat(self, worker: bytes, host: str, now: datetime) -> None:
        known = self._beats.get(worker)
        self._beats[worker] = Heartbeat(worker=worker, host=host, counter=known.counter + 1 if known else 1, at=now)

    def every(self) -> Sequence[Heartbeat]:
        return sorted(self._beats.values(), key=lambda each: each.worker)

    def remove(self, worker: bytes) -> None:
        if self._beats.get(worker):
            self._beats.pop(worker)

    def count_held(self, before: datetime, most: int) -> int:
        held = (State.CLAIMED, State.HANDING_OVER)
        kinds: Sequence[Collection[MailItem]] = (self._invitations.all(), self._notices.all())
        return sum(min(most, sum(one.state in held and one.changed_at < before for one in kind)) for kind in kinds)

    def count_retrying(self, most: int) -> int:
        notices = sum(one.state is State.SCHEDULED and one.attempts > 0 for one in self._notices.all())
        return min(most, len(self._retrying())) + min(most, notices)

    def oldest_retrying(self) -> datetime | None:
        return min((each.scheduled_for for each in self._retrying()), default=None)

    def _retrying(self) -> Sequence[Invitation]:
        active = {shop.number for shop in self._shops.every() if shop.active}
        return [
            each
            for each in self._invitations.all()
            if each.state is State.SCHEDULED and each.attempts > 0 and each.shop_number in active
        ]
