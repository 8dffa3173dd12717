"""Withdraw the name that a shop asks for. Spec: §3 (Trust mark)."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ChangedMeanwhile, NoNameWaiting, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, kept_from_keys, shop_of
from reviewinvite_core.usecases.context import UnitContext


@write()
def withdraw_name(
    ctx: UnitContext, acting: str | Caller, seen: Shop | None = None
) -> Shop | ShopUnknown | NotAdmitted | NoNameWaiting | ChangedMeanwhile:
    """Keep the present name, unless another name waits than the one that was `seen`; return the shop."""
    shop = kept_from_keys(acting) or shop_of(ctx, acting, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if shop.requested_name is None:
        return NoNameWaiting()
    if seen and shop.requested_name != seen.requested_name:
        return ChangedMeanwhile()
    kept = attrs.evolve(shop, requested_name=None)
    ctx.store.shops.change(kept)
    record(ctx, shop, who_acts(ctx, acting), Action.NAME_WITHDRAWN, shop.requested_name)
    return kept
