"""Guard against use after a fork.

The child has none of the parent's threads, shares its connections, and inherits locks that may be held for ever.
"""

from __future__ import annotations

import os

from reviewinvite_core.domain.errors import UsedAfterFork

_process = os.getpid()


def _note_process() -> None:
    global _process
    _process = os.getpid()


os.register_at_fork(after_in_child=_note_process)


class ProcessGuard:
    """Remembers the process in which it was created; held by every object that has threads or connections."""

    __slots__ = ("_process",)

    def __init__(self) -> None:
        """Remember this process."""
        self._process = _process

    def is_elsewhere(self) -> bool:
        """Return whether this is another process: a child that was forked."""
        return _process != self._process  # the id that was noted: each transaction asks, and the system is slow to say

    def require_same_process(self) -> None:
        """Raise `UsedAfterFork` in a child; call it before any lock is taken, which a parent's thread may hold."""
        if self.is_elsewhere():
            message = f"this application was built in process {self._process}, before a fork: build it after the fork"
            raise UsedAfterFork(message)
