"""What a shop says and what it is told, whichever way the two go."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

import attrs


@attrs.frozen(kw_only=True)
class Order:
    """An order as a shop reports it: plain values, which may be wrong; None is left out."""

    email: str
    number: str | None = None
    language: str | None = None
    delay_days: float | None = None


@attrs.frozen(kw_only=True)
class Scheduled:
    """The report was accepted; `duplicate` where the order was known."""

    invite_id: str
    scheduled_for: datetime
    duplicate: bool


@attrs.frozen(kw_only=True)
class Refused:
    """The report was refused: the stable code of Spec: §7, the field at fault, and the seconds to wait."""

    code: str
    field: str | None = None
    wait_seconds: int | None = None


Answer: TypeAlias = Scheduled | Refused
