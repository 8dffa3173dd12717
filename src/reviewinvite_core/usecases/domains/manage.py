"""Add, check, list and remove the hosts of shops. Spec: §3."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.domains import TOKEN_BYTES, Domain, VerificationResult, domain_token
from reviewinvite_core.domain.errors import DomainTaken, DomainUnknown, Invalid, Problem, ShopUnknown
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.ports import DomainVerifier, PublicSuffixes
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.domains.record_check import is_taken, record_domain_check


@attrs.frozen(kw_only=True)
class DomainCheck:
    """A host as it stands, and what a look for its proof has found; None for a vouched one, which is not looked at."""

    domain: Domain
    look: VerificationResult | None = None

    @property
    def proved(self) -> bool:
        """Whether it is verified and nothing was missing just now."""
        return self.domain.verified_at is not None and (self.look is None or self.look.found is not None)


def own_host(text: str, suffixes: PublicSuffixes) -> HostName:
    """The host in `text`, if it is one that somebody can own.

    Raises: `Invalid` naming `host`.
    """
    host = HostName.parse(text)
    if suffixes.includes(host):
        raise Invalid(Problem.PUBLIC_SUFFIX, "host")
    return host


def add_domain(
    ctx: UnitContext, site_id: str, host: HostName, assume_verified: bool
) -> Domain | ShopUnknown | DomainTaken:
    """Note that a shop says a host is its own, or that the operator vouches for it; gives what stands.

    One that the shop has already keeps its token. It can be added while another shop has it verified, so that a move
    can be prepared; the operator can vouch for it once that shop has let it go.
    """
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    new = Domain(
        shop_number=shop.number, host=host, token=domain_token(ctx.entropy.draw(TOKEN_BYTES)), added_at=ctx.now
    )
    if assume_verified and is_taken(ctx, new):
        return DomainTaken(host.text)
    standing = ctx.store.domains.add(new)
    if not assume_verified or standing.vouched:
        return standing
    vouched = standing.vouched_for(ctx.now)
    ctx.store.domains.change(vouched)
    return vouched


def list_domains(ctx: UnitContext, site_id: str) -> Sequence[Domain] | ShopUnknown:
    """All of a shop's hosts, by name."""
    shop = ctx.store.shops.by_site_id(site_id)
    return ShopUnknown(site_id) if shop is None else ctx.store.domains.of_shop(shop.number)


def remove_domain(ctx: UnitContext, site_id: str, host: str) -> Domain | ShopUnknown | DomainUnknown:
    """Let a host go, verified or not, so that another shop can have it; gives what it was.

    Raises: `Invalid` for what is no host.
    """
    found = _find(ctx, site_id, host)
    if isinstance(found, Domain):
        ctx.store.domains.remove(found.shop_number, found.host.text)
    return found


def check_domain(
    perform: TransactionRunner, proof: DomainVerifier, site_id: str, host: str
) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken:
    """Look for the proof now, outside of any unit of work, and note what was found.

    It ends no verification: nobody knows whether this process's clock is to be believed (ADR-12).

    Raises: `Invalid` for what is no host.
    """
    found = perform(lambda ctx: _find(ctx, site_id, host), locks=frozenset())
    if not isinstance(found, Domain):
        return found
    if found.vouched:
        return DomainCheck(domain=found)
    look = proof.look(found)
    noted = perform(lambda ctx: record_domain_check(ctx, found, look, may_lose=False))
    return DomainCheck(domain=noted, look=look) if isinstance(noted, Domain) else noted


def _find(ctx: UnitContext, site_id: str, host: str) -> Domain | ShopUnknown | DomainUnknown:
    name = HostName.parse(host).text
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    return ctx.store.domains.find(shop.number, name) or DomainUnknown(name)
