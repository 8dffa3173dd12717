"""The hosts that deliver, in memory."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.handovers import DeliveryHost, HighWaterMark


class MemoryHosts:
    """See `ports.Hosts`."""

    def __init__(self, journal: UndoLog) -> None:
        self._hosts: Table[str, DeliveryHost] = Table(journal)

    def every(self) -> Sequence[DeliveryHost]:
        """See `ports.Hosts`."""
        return sorted(self._hosts.values(), key=lambda each: each.host)

    def standing(self, host: str) -> Sequence[DeliveryHost]:
        """See `ports.Hosts`."""
        return [each for each in self.every() if each.host == host or each.ahead is not None]

    def register(self, host: str) -> None:
        """See `ports.Hosts`."""
        if self._hosts.get(host) is None:
            self._hosts[host] = DeliveryHost(host=host, fence=0)

    def raise_fence(self, host: str) -> int:
        """See `ports.Hosts`."""
        known = self._known(host)
        self._hosts[host] = attrs.evolve(known, fence=known.fence + 1)
        return known.fence + 1

    def note_ahead(self, mark: HighWaterMark) -> None:
        """See `ports.Hosts`."""
        known = self._hosts.get(mark.host) or DeliveryHost(host=mark.host, fence=0)
        self._hosts[mark.host] = attrs.evolve(known, ahead=mark.number, horizon=mark.horizon)

    def catch_up(self, host: str, number: int) -> None:
        """See `ports.Hosts`."""
        self._hosts[host] = DeliveryHost(host=host, fence=max(self._known(host).fence, number))

    def _known(self, host: str) -> DeliveryHost:
        known = self._hosts.get(host)
        assert known is not None  # noqa: S101 - who asks has registered it
        return known
