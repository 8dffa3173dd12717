"""List a shop's hosts."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import credential_locks, is_charged, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext


@write(locks=credential_locks, only_if=is_charged)
def list_domains(ctx: UnitContext, acting: Acting) -> Sequence[Domain] | ShopUnknown | KeyRefused | LimitReached:
    """Return all hosts of a shop, sorted by name."""
    shop = shop_of_reader(ctx, acting)
    return ctx.store.domains.of_shop(shop.number) if isinstance(shop, Shop) else shop
