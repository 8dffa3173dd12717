"""What is said of the service's health. Spec: §4 (Other addresses)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from reviewinvite_core import Condition

DeliveryStatus: TypeAlias = Literal["running", "paused", "stopped", "off"]


@attrs.frozen
class Health:
    """The process answers."""

    status: Literal["ok"] = "ok"


@attrs.frozen(kw_only=True)
class Readiness:
    """How storage is, and what deliveries do; `reason` is why they are paused."""

    status: Literal["ready"] = "ready"
    storage: Condition
    delivery: DeliveryStatus
    reason: str | None = None
