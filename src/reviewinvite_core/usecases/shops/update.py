"""Change a shop's settings."""

from __future__ import annotations

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.shop import Shop, ShopChanges
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext


@write()
def set_shop(ctx: UnitContext, site_id: str, changes: ShopChanges) -> Shop | ShopUnknown:
    """Update the given fields of a shop; scheduled invitations keep their time and language.

    An inactive shop's reports are refused, and its invitations wait until it is active again.
    """
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    changed = changes.applied_to(shop)
    ctx.store.shops.change(changed)
    return changed
