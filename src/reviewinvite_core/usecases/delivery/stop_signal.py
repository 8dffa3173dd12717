"""How a caller asks for deliveries, or checks of domains, to stop."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class StopSignal(Protocol):
    """Stop signal, for example a `threading.Event`."""

    def is_set(self) -> bool:
        """Return whether a stop was requested."""

    def wait(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds; return whether a stop was requested."""
