"""Health of the service. Spec: §4 (Other addresses)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from reviewinvite_core.wire.shape import Shape, member

DeliveryStatus: TypeAlias = Literal["running", "paused", "stopped", "off"]


@attrs.frozen(kw_only=True)
class Health(Shape):
    """The process responds."""

    status: Literal["ok"] = member(default="ok", example="ok")


@attrs.frozen(kw_only=True)
class Connections(Shape):
    """Counts of a pool: open connections, those in use or being opened, and units waiting for a connection."""

    open: int = member(example=4)
    in_use: int = member(example=1)
    waiting: int = member(example=0)


@attrs.frozen(kw_only=True)
class Condition(Shape):
    """Current condition of storage: its engine, and its connections if it has a pool."""

    engine: str = member(example="postgresql")
    connections: Connections | None = member(default=None, optional=True)


@attrs.frozen(kw_only=True)
class Readiness(Shape):
    """Condition of storage and status of deliveries; `reason` is why deliveries are paused."""

    status: Literal["ready"] = member(default="ready", example="ready")
    storage: Condition
    delivery: DeliveryStatus = member(example="running")
    reason: str | None = member(
        "Why deliveries are paused. Absent unless they are.",
        default=None,
        enum=["mark_ahead", "mark_missing", "mark_unreadable", "other_host_ahead"],
        optional=True,
    )
