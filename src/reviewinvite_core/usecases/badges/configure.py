"""Change the appearance of a shop's badge. Spec: §1, §4.3."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.badge import BadgeChanges
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext


@write()
def set_badge(ctx: UnitContext, site_id: str, changes: BadgeChanges) -> Shop | ShopUnknown:
    """Update the given parts of a badge's appearance; pages show that within 5 minutes, with the same tag."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    changed = attrs.evolve(shop, badge=changes.applied_to(shop.badge))
    ctx.store.shops.change(changed)
    return changed
