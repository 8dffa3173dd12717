"""Suppressed addresses, stored by keyed hash only: nothing may be sent to them. Spec: §6, ADR-4."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import attrs


class SuppressedBy(StrEnum):
    """Who requested a suppression."""

    CUSTOMER = "customer"
    OPERATOR = "operator"


class Reach(StrEnum):
    """Which shops' invitations a customer opts out of."""

    THIS_SHOP = "this_shop"
    EVERY_SHOP = "every_shop"


@attrs.frozen(kw_only=True)
class Suppression:
    """An address (its 16-byte keyed hash) to which a shop must not send; `shop_number` None means all shops."""

    address_hash: bytes = attrs.field(repr=False)
    shop_number: int | None
    by: SuppressedBy
    suppressed_at: datetime

    @property
    def short_hash(self) -> str:
        """First 8 hexadecimal digits of the hash: they tell a few addresses apart without revealing them."""
        return self.address_hash.hex()[:8]
