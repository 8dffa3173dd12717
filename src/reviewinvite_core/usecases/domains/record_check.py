"""Keep what a look for a host's proof has found. Spec: §3, ADR-22."""

from __future__ import annotations

from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.domain.errors import DomainTaken, DomainUnknown
from reviewinvite_core.usecases.context import UnitContext


def record_domain_check(
    ctx: UnitContext, checked: Domain, result: VerificationResult, *, may_lose: bool
) -> Domain | DomainUnknown | DomainTaken:
    """The host as it stands after a look, which took place outside of any unit of work.

    What was removed meanwhile, or has another token now, is unknown; one that was vouched for stays so. `may_lose`
    says whether a proof that has been missing for 7 days ends the verification.
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
    return after


def is_taken(ctx: UnitContext, domain: Domain) -> bool:
    """Whether another shop has verified the host, or one that covers what it covers.

    Only the same host is kept from two shops by storage itself; `www.` and bare are told apart here, which is why what
    verifies a host is a plain unit of work: no two of these ever run side by side.
    """
    holders = ctx.store.domains.holders(domain.host.rivals)
    return any(shop_number != domain.shop_number for shop_number in holders.values())
