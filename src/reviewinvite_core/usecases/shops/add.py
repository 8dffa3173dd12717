"""Add a shop. Spec: §2."""

from __future__ import annotations

from reviewinvite_core.domain.errors import ShopExists
from reviewinvite_core.domain.shop import NewShop, Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext


@write()
def add_shop(ctx: UnitContext, new: NewShop) -> Shop | ShopExists:
    """Create an active shop."""
    return ctx.store.shops.add(new) or ShopExists(new.site_id.text)
