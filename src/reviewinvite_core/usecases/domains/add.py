"""Add a host to a shop. ADR-22."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.domains import TOKEN_BYTES, Domain, domain_token
from reviewinvite_core.domain.errors import DomainTaken, Invalid, Problem, ShopUnknown
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.ports import PublicSuffixes
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, acting_locks, shop_of
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


@write(locks=acting_locks)
def add_domain(
    ctx: UnitContext, acting: Acting, host: HostName | Invalid, assume_verified: bool
) -> Domain | ShopUnknown | DomainTaken | NotAdmitted | Invalid:
    """Record that a shop claims a host, or that the operator vouches for the host; return the stored host.

    A host that the shop already has keeps its token. A host can be added while another shop has verified it, so that a
    move can be prepared; but the operator can vouch for it only after that shop has removed or lost it.
    """
    shop = shop_of(ctx, acting, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(host, Invalid):
        return host
    new = Domain(
        shop_number=shop.number, host=host, token=domain_token(ctx.entropy.draw(TOKEN_BYTES)), added_at=ctx.now
    )
    if assume_verified and is_taken(ctx, new):
        return DomainTaken(host.text)
    stored, actor = ctx.store.domains.add(new), who_acts(ctx, acting)
    if stored.token == new.token:
        record(ctx, shop, actor, Action.DOMAIN_ADDED, host.text)
    if not assume_verified or stored.vouched:
        return stored
    vouched = stored.vouched_for(ctx.now)
    ctx.store.domains.change(vouched)
    if not stored.verified:
        record(ctx, shop, actor, Action.DOMAIN_VERIFIED, host.text)
    return vouched
