"""Remove a host from a shop."""

from __future__ import annotations

from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import DomainUnknown, ShopUnknown
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.domains.lookup import find_domain


@write()
def remove_domain(ctx: UnitContext, site_id: str, host: str) -> Domain | ShopUnknown | DomainUnknown:
    """Remove a host, verified or not, so that another shop can verify it; return the removed host.

    Raises: `Invalid` if `host` is not a host name.
    """
    found = find_domain(ctx, site_id, host)
    if isinstance(found, Domain):
        ctx.store.domains.remove(found.shop_number, found.host.text)
    return found
