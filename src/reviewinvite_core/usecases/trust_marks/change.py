"""Change a shop's trust mark as its table of transitions allows. Spec: §3."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR
from reviewinvite_core.domain.errors import ShopUnknown, TrustMarkStateConflict
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.trust_mark import TRANSITIONS, TrustMark
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.context import UnitContext

TrustMarkChange: TypeAlias = Shop | ShopUnknown | TrustMarkStateConflict


def change_trust_mark(ctx: UnitContext, site_id: str, trust_mark: TrustMark) -> TrustMarkChange:
    """Set the trust mark and return the shop; setting the current one changes nothing."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    if shop.trust_mark is trust_mark:
        return shop
    if trust_mark not in TRANSITIONS[shop.trust_mark]:
        return TrustMarkStateConflict(shop.trust_mark.value)
    changed = attrs.evolve(shop, trust_mark=trust_mark)
    ctx.store.shops.change(changed)
    action = Action.TRUST_MARK_GRANTED if trust_mark is TrustMark.GRANTED else Action.TRUST_MARK_REVOKED
    record(ctx, shop, who_acts(ctx, OPERATOR), action)
    return changed
