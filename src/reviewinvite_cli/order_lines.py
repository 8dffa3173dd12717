"""Results for the lines of an order file; lines are counted from 1."""

from __future__ import annotations

import attrs

from reviewinvite_core import OrderReport
from reviewinvite_core.wire.shape import Shape


@attrs.frozen
class OrderLine:
    """The order that begins on a line."""

    line: int
    report: OrderReport


@attrs.frozen
class RefusedLine(Shape):
    """A line that was refused; `field` is None if no single field is wrong."""

    line: int
    field: str | None
    problem: str


@attrs.frozen
class AcceptedLine(Shape):
    """A line whose order was stored, and its invitation."""

    line: int
    invite_id: str
    duplicate: bool
