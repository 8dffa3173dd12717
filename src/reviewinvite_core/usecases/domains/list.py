"""List a shop's hosts."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@read
def list_domains(ctx: UnitContext, site_id: str) -> Sequence[Domain] | ShopUnknown:
    """Return all hosts of a shop, sorted by name."""
    shop = ctx.store.shops.by_site_id(site_id)
    return ShopUnknown(site_id) if shop is None else ctx.store.domains.of_shop(shop.number)
