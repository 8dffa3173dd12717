"""Add a host to a shop. ADR-22."""

from __future__ import annotations

from reviewinvite_core.domain.domains import TOKEN_BYTES, Domain, domain_token
from reviewinvite_core.domain.errors import DomainTaken, Invalid, Problem, ShopUnknown
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.execution import write
from reviewinvite_core.ports import PublicSuffixes
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.domains.record_check import is_taken


def host_to_add(text: str, suffixes: PublicSuffixes) -> HostName:
    """Parse a host that somebody can own, so it must not be a public suffix.

    Raises: `Invalid` naming `host`.
    """
    host = HostName.parse(text)
    if suffixes.includes(host):
        raise Invalid(Problem.PUBLIC_SUFFIX, "host")
    return host


def host_to_offer(host: HostName, suffixes: PublicSuffixes) -> HostName | None:
    """Return the host that would cover this one, which begins with `www.`, and more; None if it cannot be added."""
    return host.apex if host.apex and not suffixes.includes(host.apex) else None


@write()
def add_domain(
    ctx: UnitContext, site_id: str, host: HostName, assume_verified: bool
) -> Domain | ShopUnknown | DomainTaken:
    """Record that a shop claims a host, or that the operator vouches for the host; return the stored host.

    A host that the shop already has keeps its token. A host can be added while another shop has verified it, so that a
    move can be prepared; but the operator can vouch for it only after that shop has removed or lost it.
    """
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    new = Domain(
        shop_number=shop.number, host=host, token=domain_token(ctx.entropy.draw(TOKEN_BYTES)), added_at=ctx.now
    )
    if assume_verified and is_taken(ctx, new):
        return DomainTaken(host.text)
    stored = ctx.store.domains.add(new)
    if not assume_verified or stored.vouched:
        return stored
    vouched = stored.vouched_for(ctx.now)
    ctx.store.domains.change(vouched)
    return vouched
