"""Remove a host from a shop."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import DomainUnknown, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import RETRACTION, NotAdmitted, kept_from_keys, shop_of
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.domains.lookup import find_domain


@write()
def remove_domain(
    ctx: UnitContext, acting: str | Caller, host: str
) -> Domain | ShopUnknown | DomainUnknown | NotAdmitted:
    """Remove a host, verified or not, so that another shop can verify it; return the removed host."""
    shop = kept_from_keys(acting) or shop_of(ctx, acting, RETRACTION)
    if not isinstance(shop, Shop):
        return shop
    found = find_domain(ctx, shop, host)
    if isinstance(found, Domain):
        ctx.store.domains.remove(found.shop_number, found.host.text)
        record(ctx, shop, who_acts(ctx, acting), Action.DOMAIN_REMOVED, found.host.text)
    return found
