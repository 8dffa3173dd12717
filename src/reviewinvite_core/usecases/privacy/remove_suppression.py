"""Remove a suppression. Spec: §6 (Suppression), ADR-16."""

from __future__ import annotations

from reviewinvite_core.domain.errors import NotSuppressed, OptedOut, ShopUnknown
from reviewinvite_core.domain.suppressions import SuppressedBy
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.suppression_records import SuppressionRecord, address_hash_of, shop_for


@write()
def remove_suppression(
    ctx: UnitContext, email: str, site_id: str | None, word: SuppressedBy
) -> SuppressionRecord | ShopUnknown | NotSuppressed | OptedOut:
    """Remove the suppression for one shop, or the one for all shops if `site_id` is None; return it.

    A customer's own opt-out is removed only at the customer's request. Invitations already suppressed stay suppressed.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash_of(ctx, email)
    shop = shop_for(ctx, site_id)
    if isinstance(shop, ShopUnknown):
        return shop
    removed = ctx.store.suppressions.remove(hashed, shop_number=shop.number if shop else None)
    if removed is None or not removed.holds_at(ctx.now):
        others = ctx.store.suppressions.of_address(hashed)
        return NotSuppressed(elsewhere=any(each.holds_at(ctx.now) for each in others))
    if removed.by is SuppressedBy.CUSTOMER and word is not SuppressedBy.CUSTOMER:
        ctx.store.suppressions.add(removed)
        return OptedOut()
    return SuppressionRecord(suppression=removed, shop=shop)
