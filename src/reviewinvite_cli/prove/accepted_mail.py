"""What the trial's mail server has accepted, read from its log."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import attrs


@attrs.define
class AcceptedMail:
    """The messages that the server accepted; `update` reads those that are new."""

    log: Path
    by_recipient: Counter[str] = attrs.field(factory=Counter, init=False)
    by_invitation: Counter[str] = attrs.field(factory=Counter, init=False)
    _read: int = attrs.field(default=0, init=False)

    def update(self) -> None:
        """Read the lines that were written since."""
        if not self.log.exists():
            return
        with self.log.open("rb") as file:
            file.seek(self._read)
            lines, end, _ = file.read().rpartition(b"\n")
        self._read += len(lines) + len(end)
        for line in lines.decode().splitlines():
            invitation, _, recipient = line.partition(" ")
            self.by_recipient[recipient] += 1
            self.by_invitation[invitation] += 1
