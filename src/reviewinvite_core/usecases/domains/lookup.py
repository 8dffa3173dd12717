"""Find a shop's host."""

from __future__ import annotations

from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import DomainUnknown, Invalid
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext


def find_domain(ctx: UnitContext, shop: Shop, host: str) -> Domain | DomainUnknown:
    """Return a shop's host by its name; what is not a host name is unknown."""
    try:
        name = HostName.parse(host).text
    except Invalid:
        return DomainUnknown(host)
    return ctx.store.domains.find(shop.number, name) or DomainUnknown(name)
