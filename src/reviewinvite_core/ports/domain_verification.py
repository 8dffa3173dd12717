"""How a host is verified to be a shop's own."""

from __future__ import annotations

from typing import Protocol

from reviewinvite_core.domain.domains import Domain, VerificationResult
from reviewinvite_core.domain.origins import HostName


class DomainVerifier(Protocol):
    """Where the proof that a host is a shop's own is looked for: in the DNS, or at the host itself."""

    def verify(self, domain: Domain) -> VerificationResult:
        """Whether the proof is there now; bounded in time, and never an error.

        Nothing but public addresses is ever connected to (ADR-22).
        """


class PublicSuffixes(Protocol):
    """The names under which anybody may register one: `co.uk`, `myshopify.com`, `github.io`."""

    def includes(self, host: HostName) -> bool:
        """Whether the host is one itself, so that it is nobody's own."""
