"""Proof in the DNS: a TXT record at `_reviewinvite.HOST`. ADR-22."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import dns.resolver

from reviewinvite_core.adapters.domain_verification.names import NoAnswer, ask, system_resolver
from reviewinvite_core.adapters.domain_verification.tokens import absence_among
from reviewinvite_core.domain.domains import Domain, FailureReason, ProofWay, VerificationResult

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
        return (
            VerificationResult(found=None, absences=((ProofWay.DNS, absence),))
            if absence
            else VerificationResult(found=ProofWay.DNS)
        )

    def _absence(self, domain: Domain) -> FailureReason | None:
        try:
            records = ask(self._new_resolver, domain.record_name, "TXT", self._seconds)
        except NoAnswer:
            return FailureReason.NO_ANSWER
        return absence_among(_texts(records), domain.proof)


def _texts(records: Iterable[object]) -> list[str]:
    """Return the text of each record: its strings joined, as in RFC 7208 and most other uses."""
    return [b"".join(record.strings).decode("ascii", "replace") for record in records]  # type: ignore[attr-defined]
