"""Add a shop. Spec: §2."""

from __future__ import annotations

from reviewinvite_core.domain.errors import ShopExists
from reviewinvite_core.domain.shop import TAKEN_SITE_IDS, NewShop, Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext


@write()
def add_shop(ctx: UnitContext, new: NewShop) -> Shop | ShopExists:
    """Create an active shop; an address that the dashboard needs is taken, too."""
    if new.site_id.text in TAKEN_SITE_IDS:
        return ShopExists(new.site_id.text)
    return ctx.store.shops.add(new) or ShopExists(new.site_id.text)
