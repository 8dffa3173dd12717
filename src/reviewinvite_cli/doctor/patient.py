"""What the checks look at: one installation, and how they may ask the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    import dns.resolver

    from reviewinvite_core import Settings
    from reviewinvite_core.maintenance.inspection import Inspection


@attrs.frozen(kw_only=True)
class Patient:
    """An installation: its settings, what is wrong with them by name, and its storage, which opens when asked.

    `seconds` bounds each wait for another machine.
    """

    settings: Settings
    faults: Mapping[str, str]
    unknown_variables: tuple[str, ...]
    inspection: Inspection
    new_resolver: Callable[[], dns.resolver.Resolver]
    dkim_selector: str | None = None
    seconds: float = 5.0

    def missing(self, *names: str) -> str | None:
        """Return the first of these settings whose value is not valid, or None; a check that needs it cannot run."""
        return next((name for name in names if name in self.faults), None)
