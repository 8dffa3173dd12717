"""Hosts that deliver, in memory."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.adapters.memory.relay import MemoryRelay
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.handovers import Ahead, DeliveryHost


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
