"""Signing keys in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.signing import KeyState, SigningKey


class MemorySigningKeys:
    """Implements `ports.SigningKeys`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._keys: Table[str, SigningKey] = Table(undo_log)

    def every(self) -> Sequence[SigningKey]:
        return sorted(self._keys.values(), key=lambda key: (key.announced_at, key.key_id))

    def in_use(self, retired_after: datetime) -> Sequence[SigningKey]:
        return [key for key in self.every() if _in_use(key, retired_after)]

    def add(self, key: SigningKey) -> bool:
        if self._keys.get(key.key_id) or self._another_signs(key):
            return False
        self._keys[key.key_id] = key
        return True

    def change(self, before: SigningKey, after: SigningKey) -> bool:
        stored = self._keys.get(before.key_id)
        if stored is None or stored.state is not before.state:
            return False
        if self._another_signs(after):
            raise ValueError("another key signs")
        self._keys[after.key_id] = after
        return True

    def _another_signs(self, key: SigningKey) -> bool:
        signing = [each.key_id for each in self._keys.values() if each.state is KeyState.SIGNING]
        return key.state is KeyState.SIGNING and signing not in ([], [key.key_id])


def _in_use(key: SigningKey, retired_after: datetime) -> bool:
    if key.state is KeyState.RETIRED:
        return key.ended_at is not None and key.ended_at > retired_after
    return key.state in (KeyState.ANNOUNCED, KeyState.SIGNING)
