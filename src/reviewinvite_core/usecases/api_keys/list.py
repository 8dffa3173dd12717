"""List a shop's API keys."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.api_key import ApiKey, Caller
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.api_keys.admission import kept_from_keys, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext


@read
def list_keys(ctx: UnitContext, acting: str | Caller) -> Sequence[ApiKey] | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's keys, the oldest first, including revoked keys; no key lists them."""
    shop = kept_from_keys(acting) or shop_of_reader(ctx, acting)
    return ctx.store.api_keys.of_shop(shop.number) if isinstance(shop, Shop) else shop
