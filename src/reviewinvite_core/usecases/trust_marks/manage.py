"""Grant and revoke trust marks. Spec: §3."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from reviewinvite_core.domain.errors import ShopUnknown, TrustMarkStateConflict
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.trust_mark import TRANSITIONS, TrustMark
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext

TrustMarkChange: TypeAlias = Shop | ShopUnknown | TrustMarkStateConflict


@write()
def grant_trust_mark(ctx: UnitContext, site_id: str) -> TrustMarkChange:
    """Let the service vouch for a shop, from the next statement on; granting it again changes nothing."""
    return _change(ctx, site_id, TrustMark.GRANTED)


@write()
def revoke_trust_mark(ctx: UnitContext, site_id: str) -> TrustMarkChange:
    """Let statements say that the mark is revoked, from the next one on; revoking it again changes nothing.

    Refused for a shop that never had it: there is nothing to revoke.
    """
    return _change(ctx, site_id, TrustMark.REVOKED)


def _change(ctx: UnitContext, site_id: str, trust_mark: TrustMark) -> TrustMarkChange:
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    if shop.trust_mark is trust_mark:
        return shop
    if trust_mark not in TRANSITIONS[shop.trust_mark]:
        return TrustMarkStateConflict(shop.trust_mark.value)
    changed = attrs.evolve(shop, trust_mark=trust_mark)
    ctx.store.shops.change(changed)
    return changed
