"""A DNS of a test's own."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.values import Domain, FailureReason, ProofWay, VerificationResult


class PublishedProofs:
    """A DNS in which some hosts have published their proofs; others give `absences`. Implements `DomainVerifier`."""

    def __init__(self, absences: Sequence[tuple[ProofWay, FailureReason]]) -> None:
        self.hosts: set[str] = set()
        self._absences = tuple(absences)

    def verify(self, domain: Domain) -> VerificationResult:
        if domain.host.text in self.hosts:
            return VerificationResult(found=ProofWay.DNS)
        return VerificationResult(found=None, absences=self._absences)
