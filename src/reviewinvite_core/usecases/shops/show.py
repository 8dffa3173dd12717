"""Show one shop."""

from __future__ import annotations

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@read
def show_shop(ctx: UnitContext, site_id: str) -> Shop | ShopUnknown:
    """Return the shop with this site id."""
    return ctx.store.shops.by_site_id(site_id) or ShopUnknown(site_id)
