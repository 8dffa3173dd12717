"""Health of the service. Spec: §4 (Other addresses)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from reviewinvite_core.ports import Condition

DeliveryStatus: TypeAlias = Literal["running", "paused", "stopped", "off"]


@attrs.frozen
class Health:
    """The process responds."""

    status: Literal["ok"] = "ok"


@attrs.frozen(kw_only=True)
class Readiness:
    """Condition of storage and status of deliveries; `reason` is why deliveries are paused."""

    status: Literal["ready"] = "ready"
    storage: Condition
    delivery: DeliveryStatus
    reason: str | None = None
