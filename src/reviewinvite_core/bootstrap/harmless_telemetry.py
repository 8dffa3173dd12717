"""Telemetry whose errors affect nobody: what it receives has been stored, and its caller waits for the answer."""

from __future__ import annotations

from reviewinvite_core.domain.messages import MailItem
from reviewinvite_core.ports import Telemetry


class HarmlessTelemetry:
    """Passes on what happened; logs the first failure, and ignores all. Implements `ports.Telemetry`."""

    def __init__(self, telemetry: Telemetry) -> None:
        """Pass everything on to this one."""
        self._telemetry = telemetry
        self._has_failed = False

    def answered(self, use_case: str, result: object) -> None:
        try:
            self._telemetry.answered(use_case, result)
        except Exception as error:
            self._report(error)

    def committed(self, units: int, seconds: float, *, stored: bool) -> None:
        try:
            self._telemetry.committed(units, seconds, stored=stored)
        except Exception as error:
            self._report(error)

    def delivered(self, item: MailItem) -> None:
        try:
            self._telemetry.delivered(item)
        except Exception as error:
            self._report(error)

    def in_flight(self, count: int) -> None:
        try:
            self._telemetry.in_flight(count)
        except Exception as error:
            self._report(error)

    def _report(self, error: Exception) -> None:
        """Log the first failure; each further call would fail alike."""
        if not self._has_failed:
            self._has_failed = True
            from reviewinvite_core.adapters.loggers import get_logger  # structlog is slow to import

            get_logger("reviewinvite.telemetry").error("telemetry failed", cause=type(error).__name__)
