"""What is known about the mail server, in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.relay import RefusedMail, Relay

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
