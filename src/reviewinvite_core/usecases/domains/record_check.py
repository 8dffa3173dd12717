"""Record the result of a check of a host's proof. Spec: §3, ADR-22."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.api_key import OPERATOR, Operator
from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.domain.errors import DomainTaken, DomainUnknown
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.context import UnitContext


def record_domain_check(
    ctx: UnitContext,
    checked: Domain,
    result: VerificationResult,
    *,
    may_lose: bool,
    acting: Acting | Operator = OPERATOR,
) -> Domain | DomainUnknown | DomainTaken:
    """Record a check made outside of any unit of work, and return the host.

    A host that was removed meanwhile, or has another token now, counts as unknown; a vouched host stays vouched.
    `may_lose` is whether a proof that has been missing for 7 days ends the verification. A new verification is recorded
    as an act of `acting`, which is the service itself, and so its operator, in a recheck.
    """
    host = checked.host.text
    stored = ctx.store.domains.find(checked.shop_number, host)
    if stored is None or stored.token != checked.token:
        return DomainUnknown(host)
    if stored.vouched:
        return stored
    if result.found and is_taken(ctx, stored):
        return DomainTaken(host)
    after = stored.after_check(result, ctx.now, may_lose=may_lose)
    ctx.store.domains.change(after)
    shop = ctx.store.shops.by_number(after.shop_number) if after.verified and not stored.verified else None
    if shop:
        record(ctx, shop, who_acts(ctx, acting), Action.DOMAIN_VERIFIED, host)
    return after


def is_taken(ctx: UnitContext, domain: Domain) -> bool:
    """Return whether another shop has verified this host, or a host that overlaps with it.

    Storage itself only prevents two shops from having the same host. The overlap of hosts with and without `www.` is
    checked here. So a unit of work that verifies a host takes the global lock: no two of them run at the same time.
    """
    holders = ctx.store.domains.holders(domain.host.rivals)
    return any(shop_number != domain.shop_number for shop_number in holders.values())
