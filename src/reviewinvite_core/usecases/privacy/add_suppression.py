"""Suppress an address. Spec: §6 (Suppression), ADR-16."""

from __future__ import annotations

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.stop_waiting import stop_waiting
from reviewinvite_core.usecases.privacy.suppression_records import SuppressionRecord, address_hash_of, shop_for


@write()
def add_suppression(ctx: UnitContext, email: str, site_id: str | None) -> SuppressionRecord | ShopUnknown:
    """Suppress an address for one shop, or for all shops if `site_id` is None.

    Its pending invitations are suppressed. If the address is already suppressed there, that suppression stays as
    it is, unless it is for a dead mailbox: then it is replaced.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash_of(ctx, email)
    shop = shop_for(ctx, site_id)
    if isinstance(shop, ShopUnknown):
        return shop
    number = shop.number if shop else None
    new = Suppression(address_hash=hashed, shop_number=number, by=SuppressedBy.OPERATOR, suppressed_at=ctx.now)
    added = ctx.store.suppressions.add(new)
    stored = new if added else _find_stored(ctx, hashed, number) or new
    return SuppressionRecord(suppression=stored, shop=shop, stopped=stop_waiting(ctx, hashed, number))


def _find_stored(ctx: UnitContext, hashed: bytes, shop_number: int | None) -> Suppression | None:
    every = ctx.store.suppressions.of_address(hashed)
    return next((each for each in every if each.shop_number == shop_number), None)
