"""Addresses that must not be written to, known by their keyed hash alone. Source: Spec: §6, ADR-4."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import attrs


class Origin(StrEnum):
    """Whose word it was."""

    CUSTOMER = "customer"
    OPERATOR = "operator"


@attrs.frozen(kw_only=True)
class Suppression:
    """An address (its keyed hash, 16 bytes) that one shop must not write to, or none where `shop_number` is None."""

    address_hash: bytes = attrs.field(repr=False)
    shop_number: int | None
    origin: Origin
    suppressed_at: datetime
