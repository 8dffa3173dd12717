"""Show one shop."""

from __future__ import annotations

from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import credential_locks, is_charged, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext


@write(locks=credential_locks, only_if=is_charged)
def show_shop(ctx: UnitContext, acting: Acting) -> Shop | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop."""
    return shop_of_reader(ctx, acting)
