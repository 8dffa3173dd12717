"""Make, show and change shops. Spec: §1."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.errors import ShopExists, ShopUnknown
from reviewinvite_core.domain.shop import NewShop, Shop, ShopChanges
from reviewinvite_core.usecases.context import UnitContext


def add_shop(ctx: UnitContext, new: NewShop) -> Shop | ShopExists:
    """Make a shop, active from now on."""
    return ctx.store.shops.add(new) or ShopExists(new.site_id.text)


def list_shops(ctx: UnitContext) -> Sequence[Shop]:
    """All shops, by site id."""
    return ctx.store.shops.every()


def show_shop(ctx: UnitContext, site_id: str) -> Shop | ShopUnknown:
    """The shop with this site id."""
    return ctx.store.shops.by_site_id(site_id) or ShopUnknown(site_id)


def set_shop(ctx: UnitContext, site_id: str, changes: ShopChanges) -> Shop | ShopUnknown:
    """Change what is given and keep the rest; invitations scheduled before keep their time and language.

    An inactive shop's reports are refused, and its invitations wait until it is active again.
    """
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    changed = changes.applied_to(shop)
    ctx.store.shops.change(changed)
    return changed
