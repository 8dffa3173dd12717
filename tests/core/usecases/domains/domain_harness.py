"""Two shops whose hosts are verified by proofs in memory, in place of the DNS and of real hosts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reviewinvite_core import Application, Settings, accepted, build
from reviewinvite_core.domain.domains import FailureReason, ProofWay, VerificationResult
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock, a_shop
from reviewinvite_core.values import Domain, DomainCheck, VerificationStatus

MOLEN, KAAS = "molen", "kaas"
HOST = "shop.example.nl"
WWW = f"www.{HOST}"
ABSENT = VerificationResult(
    found=None, absences=((ProofWay.DNS, FailureReason.NO_RECORD), (ProofWay.WELL_KNOWN, FailureReason.NO_HOST))
)


class FakeDomainProof:
    """A `ports.DomainVerifier` that finds what tests publish; each lookup is recorded, and calls `meanwhile`."""

    def __init__(self) -> None:
        self.proofs: set[tuple[str, str]] = set()
        self.lookups: list[str] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def publish(self, domain: Domain) -> None:
        self.proofs.add((domain.host.text, domain.proof))

    def withdraw(self, domain: Domain) -> None:
        self.proofs.discard((domain.host.text, domain.proof))

    def verify(self, domain: Domain) -> VerificationResult:
        self.lookups.append(domain.host.text)
        self.meanwhile()
        return VerificationResult(found=ProofWay.DNS) if (domain.host.text, domain.proof) in self.proofs else ABSENT


class DomainHarness:
    """An application with the shops `molen` and `kaas` and a fake domain proof."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.clock = ManualClock()
        self.proof = FakeDomainProof()
        self.app: Application = build(
            Settings(database_url="memory:", secret="a secret for tests, long enough", mail_url="recording:"),
            storage=storage,
            clock=self.clock,
            entropy=CountingEntropy(),
            domain_verifier=self.proof,
        )
        for shop in (MOLEN, KAAS):
            self.app.shops.add(a_shop(shop))

    def add(self, shop: str, host: str = HOST, *, assume_verified: bool = False) -> Domain:
        return accepted(self.app.domains.add(shop, host, assume_verified))

    def add_published(self, shop: str, host: str = HOST) -> Domain:
        """Add a host whose proof is published."""
        added = self.add(shop, host)
        self.proof.publish(added)
        return added

    def check(self, shop: str, host: str = HOST) -> DomainCheck:
        return accepted(self.app.domains.check(shop, host))

    def verify(self, shop: str, host: str = HOST) -> Domain:
        """Add a host whose proof is published, and check it."""
        self.add_published(shop, host)
        return self.check(shop, host).domain

    def domains(self, shop: str) -> Sequence[Domain]:
        return accepted(self.app.domains.list(shop))

    def standing(self, shop: str, host: str = HOST) -> VerificationStatus | None:
        """Return the verification status of a host, or None if the shop does not have it."""
        return {each.host.text: each.status for each in self.domains(shop)}.get(host)
