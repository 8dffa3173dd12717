"""Addresses that must not be written to, known by their keyed hash alone. Source: Spec: §6, ADR-4."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import attrs


class SuppressedBy(StrEnum):
    """Whose word it was."""

    CUSTOMER = "customer"
    OPERATOR = "operator"


class Reach(StrEnum):
    """Whose invitations a customer opts out of."""

    THIS_SHOP = "this_shop"
    EVERY_SHOP = "every_shop"


@attrs.frozen(kw_only=True)
class Suppression:
    """An address (its keyed hash, 16 bytes) that one shop must not write to, or none where `shop_number` is None."""

    address_hash: bytes = attrs.field(repr=False)
    shop_number: int | None
    by: SuppressedBy
    suppressed_at: datetime

    @property
    def short_hash(self) -> str:
        """The hash's first 8 hexadecimal digits: enough to tell a few apart by, and nothing of the address."""
        return self.address_hash.hex()[:8]
