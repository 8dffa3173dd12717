"""Verify that a host belongs to a shop."""

from __future__ import annotations

from typing import Protocol

from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.domain.origins import HostName


class DomainVerifier(Protocol):
    """Checks the proof that a host belongs to a shop: in the DNS, or on the host itself."""

    def verify(self, domain: Domain) -> VerificationResult:
        """Check whether the proof is there now; time is bounded, and failures are results, not exceptions.

        The verifier connects to public addresses only (ADR-22).
        """


class PublicSuffixes(Protocol):
    """Names under which anybody can register a name, such as `co.uk`, `myshopify.com` and `github.io`."""

    def includes(self, host: HostName) -> bool:
        """Return whether the host itself is a public suffix, which belongs to nobody."""
