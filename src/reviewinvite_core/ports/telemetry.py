"""What an application tells about its work, for metrics. ADR-63."""

from __future__ import annotations

from typing import Protocol

from reviewinvite_core.domain.notices import MailItem


class Telemetry(Protocol):
    """Receives what happened, once it is durable; an argument of `build`.

    Calls come from any thread, also from an event loop, so they must be quick. What they raise is ignored.
    """

    def answered(self, use_case: str, result: object) -> None:
        """Note the result of a call, also a refusal; `use_case` is the name of its function, such as `report_order`."""

    def committed(self, units: int, seconds: float, *, stored: bool) -> None:
        """Note a transaction, its number of units of work and its duration; `stored` is false if storage failed."""

    def delivered(self, item: MailItem, seconds: float | None) -> None:
        """Note what a delivery or a sweep has left of an invitation or notice: its state and reason are the result.

        `seconds` is the duration of the delivery, or None if there was none: it was swept, or released unbegun.
        """

    def in_flight(self, count: int) -> None:
        """Note how many invitations and notices the worker of this process has claimed and not finished."""


class NoTelemetry:
    """Implements `Telemetry`: notes nothing."""

    def answered(self, use_case: str, result: object) -> None:
        pass

    def committed(self, units: int, seconds: float, *, stored: bool) -> None:
        pass

    def delivered(self, item: MailItem, seconds: float | None) -> None:
        pass

    def in_flight(self, count: int) -> None:
        pass
