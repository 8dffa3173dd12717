"""Telemetry whose errors affect nobody: what it receives has been stored, and its caller waits for the answer."""

from __future__ import annotations

from collections.abc import Callable

from reviewinvite_core.domain.messages import MailItem
from reviewinvite_core.ports import Telemetry


class HarmlessTelemetry:
    """Passes what happened on to each receiver; logs the first failure, and ignores all. Implements `ports.Telemetry`.

    `add` adds a receiver, which learns what happens from then on.
    """

    def __init__(self, *receivers: Telemetry) -> None:
        """Pass everything on to these."""
        self._receivers = receivers
        self._has_failed = False

    def add(self, receiver: Telemetry) -> None:
        """Pass everything on to this one, too."""
        self._receivers = (*self._receivers, receiver)

    def answered(self, use_case: str, result: object) -> None:
        self._tell(lambda receiver: receiver.answered(use_case, result))

    def committed(self, units: int, seconds: float, *, stored: bool) -> None:
        self._tell(lambda receiver: receiver.committed(units, seconds, stored=stored))

    def delivered(self, item: MailItem, seconds: float | None) -> None:
        self._tell(lambda receiver: receiver.delivered(item, seconds))

    def in_flight(self, count: int) -> None:
        self._tell(lambda receiver: receiver.in_flight(count))

    def _tell(self, tell: Callable[[Telemetry], None]) -> None:
        for receiver in self._receivers:
            try:
                tell(receiver)
            except Exception as error:
                self._report(error)

    def _report(self, error: Exception) -> None:
        """Log the first failure; each further call would fail alike."""
        if not self._has_failed:
            self._has_failed = True
            from reviewinvite_core.adapters.loggers import get_logger  # structlog is slow to import

            get_logger("reviewinvite.telemetry").error("telemetry failed", cause=type(error).__name__)
