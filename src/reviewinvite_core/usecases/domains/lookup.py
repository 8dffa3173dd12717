"""Find a shop's host."""

from __future__ import annotations

from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import DomainUnknown, ShopUnknown
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.usecases.context import UnitContext


def find_domain(ctx: UnitContext, site_id: str, host: str) -> Domain | ShopUnknown | DomainUnknown:
    name = HostName.parse(host).text
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    return ctx.store.domains.find(shop.number, name) or DomainUnknown(name)
