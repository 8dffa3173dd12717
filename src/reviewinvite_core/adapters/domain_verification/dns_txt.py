"""Proof in the DNS: a TXT record at `_reviewinvite.HOST`. ADR-22."""

from __future__ import annotations

from collections.abc import Callable

import dns.resolver

from reviewinvite_core.adapters.domain_verification.names import NoAnswer, ask, system_resolver
from reviewinvite_core.domain.domains import Domain, FailureReason, ProofWay, VerificationResult, absence_among

SECONDS = 5.0


class DnsTxtVerifier:
    """Queries this machine's resolver, which is trusted and follows CNAMEs. Implements `ports.DomainVerifier`."""

    def __init__(
        self, new_resolver: Callable[[], dns.resolver.Resolver] = system_resolver, *, seconds: float = SECONDS
    ) -> None:
        self._new_resolver = new_resolver
        self._seconds = seconds

    def verify(self, domain: Domain) -> VerificationResult:
        """Check the record, within 5 seconds."""
        absence = self._absence(domain)
        if absence is None:
            return VerificationResult(found=ProofWay.DNS)
        return VerificationResult(found=None, absences=((ProofWay.DNS, absence),))

    def _absence(self, domain: Domain) -> FailureReason | None:
        try:
            records = ask(self._new_resolver, domain.record_name, "TXT", self._seconds)
        except NoAnswer:
            return FailureReason.NO_ANSWER
        # The text of a record is its strings joined, as in RFC 7208 and most other uses.
        texts = (b"".join(each.strings).decode("ascii", "replace") for each in records)
        return absence_among(texts, domain.proof)
