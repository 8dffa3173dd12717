"""Check the proof of a host now. ADR-22."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.domain.errors import DomainTaken, DomainUnknown, ShopUnknown
from reviewinvite_core.ports import DomainVerifier
from reviewinvite_core.usecases.context import TransactionRunner
from reviewinvite_core.usecases.domains.lookup import find_domain
from reviewinvite_core.usecases.domains.record_check import record_domain_check


@attrs.frozen(kw_only=True)
class DomainCheck:
    """A host as it stands, and what a look for its proof has found; None for a vouched one, which is not looked at."""

    domain: Domain
    result: VerificationResult | None = None

    @property
    def proved(self) -> bool:
        """Whether it is verified and nothing was missing just now."""
        return self.domain.verified_at is not None and (self.result is None or self.result.found is not None)


def check_domain(
    transactions: TransactionRunner, verifier: DomainVerifier, site_id: str, host: str
) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken:
    """Look for the proof now, outside of any unit of work, and note what was found.

    It ends no verification: nobody knows whether this process's clock is to be believed (ADR-12).

    Raises: `Invalid` if it is not a host name.
    """
    found = transactions.run(lambda ctx: find_domain(ctx, site_id, host), locks=frozenset())
    if not isinstance(found, Domain):
        return found
    if found.vouched:
        return DomainCheck(domain=found)
    result = verifier.verify(found)
    noted = transactions.run(lambda ctx: record_domain_check(ctx, found, result, may_lose=False))
    return DomainCheck(domain=noted, result=result) if isinstance(noted, Domain) else noted
