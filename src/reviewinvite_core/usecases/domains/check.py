"""Check the proof of a host now. ADR-22."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.domain.errors import DomainTaken, DomainUnknown, Invalid, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import DomainVerifier
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, credential_locks, shop_of
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.domains.lookup import find_domain
from reviewinvite_core.usecases.domains.record_check import record_domain_check


@attrs.frozen(kw_only=True)
class DomainCheck:
    """A host and the result of its check; `result` is None for a vouched host, which is not checked."""

    domain: Domain
    result: VerificationResult | None = None

    @property
    def proved(self) -> bool:
        """Whether the host is verified, and its proof was found if it was checked."""
        return self.domain.verified_at is not None and (self.result is None or self.result.found is not None)


def check_domain(
    transactions: TransactionRunner, verifier: DomainVerifier, acting: Acting, host: str | Invalid
) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken | NotAdmitted | Invalid:
    """Check the proof now, outside of any unit of work, and record the result.

    A failed check does not end a verification here, because this process cannot know whether its clock can be trusted
    (ADR-12).
    """

    def find(ctx: UnitContext) -> Domain | ShopUnknown | DomainUnknown | NotAdmitted | Invalid:
        shop = shop_of(ctx, acting, CHANGE)
        if not isinstance(shop, Shop):
            return shop
        return host if isinstance(host, Invalid) else find_domain(ctx, shop, host)

    found = transactions.run(find, locks=credential_locks(acting))
    if not isinstance(found, Domain):
        return found
    if found.vouched:
        return DomainCheck(domain=found)
    result = verifier.verify(found)
    noted = transactions.run(lambda ctx: record_domain_check(ctx, found, result, may_lose=False, acting=acting))
    return DomainCheck(domain=noted, result=result) if isinstance(noted, Domain) else noted
