"""Verify that a host belongs to a shop: in the DNS, or on the host itself. ADR-22.

The libraries for the two methods are slow to import, so verifiers are created on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.ports import DomainVerifier


def both_ways() -> Sequence[DomainVerifier]:
    """Return the DNS verifier, which uses this machine's resolver, and then the verifier of a file on the host."""
    from reviewinvite_core.adapters.domain_verification.dns_txt import DnsTxtVerifier
    from reviewinvite_core.adapters.domain_verification.http_file import HttpFileVerifier

    return DnsTxtVerifier(), HttpFileVerifier()


class AnyOfVerifier:
    """Tries verifiers in order until one finds the proof. Implements `ports.DomainVerifier`."""

    def __init__(self, ways: Callable[[], Sequence[DomainVerifier]] = both_ways) -> None:
        self._make = ways
        self._ways: Sequence[DomainVerifier] | None = None

    def verify(self, domain: Domain) -> VerificationResult:
        ways = self._ways = self._ways or self._make()
        results = []
        for way in ways:
            result = way.verify(domain)
            if result.found:
                return result
            results.append(result)
        return VerificationResult(
            found=None, absences=tuple(absence for result in results for absence in result.absences)
        )
