"""Approve the name that a shop asks for. Spec: §3 (Trust mark)."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import Actor, ActorKind
from reviewinvite_core.domain.errors import NoNameWaiting, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record
from reviewinvite_core.usecases.context import UnitContext


@write()
def approve_name(ctx: UnitContext, site_id: str) -> Shop | ShopUnknown | NoNameWaiting:
    """Put the name that waits in the place of the present one, from the next statement on."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    if shop.requested_name is None:
        return NoNameWaiting()
    renamed = shop.renamed(shop.requested_name, approved=True)
    ctx.store.shops.change(renamed)
    record(ctx, shop, Actor(ActorKind.OPERATOR), Action.NAME_APPROVED, renamed.name)
    return renamed
