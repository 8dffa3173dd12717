"""Where the proof that a host is a shop's own is looked for: in the DNS, or at the host itself. ADR-22.

What the two ways need takes long to import, so they are made when they are first asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.ports import DomainVerifier


def both_ways() -> Sequence[DomainVerifier]:
    """The DNS as this machine asks it, and then the host itself."""
    from reviewinvite_core.adapters.domain_verification.dns_txt import DnsTxtVerifier
    from reviewinvite_core.adapters.domain_verification.http_file import HttpFileVerifier

    return DnsTxtVerifier(), HttpFileVerifier()


class AnyOfVerifier:
    """Asks one way after the other; what one has found needs no other. Implements `ports.DomainVerifier`."""

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
