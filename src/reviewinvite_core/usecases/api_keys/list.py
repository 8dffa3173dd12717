"""List a shop's API keys."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@read
def list_keys(ctx: UnitContext, site_id: str) -> Sequence[ApiKey] | ShopUnknown:
    """Return a shop's keys, the oldest first, including revoked keys."""
    shop = ctx.store.shops.by_site_id(site_id)
    return ShopUnknown(site_id) if shop is None else ctx.store.api_keys.of_shop(shop.number)
