"""Change the appearance of a shop's badge. Spec: §1, §4.3."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.badge import BadgeChanges, BadgeLook
from reviewinvite_core.domain.errors import ChangedMeanwhile, Invalid, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, acting_locks, shop_of
from reviewinvite_core.usecases.context import UnitContext


@write(locks=acting_locks)
def set_badge(
    ctx: UnitContext, acting: Acting, changes: BadgeChanges | BadgeLook | Invalid, seen: BadgeLook | None = None
) -> Shop | ShopUnknown | NotAdmitted | Invalid | ChangedMeanwhile:
    """Update the given parts of a badge's appearance, or all of it; pages show that within 5 minutes."""
    shop = shop_of(ctx, acting, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(changes, Invalid):
        return changes
    if seen not in (None, shop.badge):
        return ChangedMeanwhile()
    badge = changes if isinstance(changes, BadgeLook) else changes.applied_to(shop.badge)
    if badge == shop.badge:
        return shop
    changed = attrs.evolve(shop, badge=badge)
    ctx.store.shops.change(changed)
    record(ctx, shop, who_acts(ctx, acting), Action.BADGE_CHANGED, " ".join(filter(None, attrs.astuple(badge))))
    return changed
