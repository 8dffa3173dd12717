"""A world in which shops publish proofs, in place of the DNS and of real hosts."""

from __future__ import annotations

from collections.abc import Callable

from reviewinvite_core.domain.domains import Absence, Domain, Look, ProofWay

ABSENT = Look(found=None, absences=((ProofWay.DNS, Absence.NO_RECORD), (ProofWay.WELL_KNOWN, Absence.NO_HOST)))


class Published:
    """What is published at which host; each look is noted, and something may happen meanwhile."""

    def __init__(self) -> None:
        self.proofs: set[tuple[str, str]] = set()
        self.looks: list[str] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def publish(self, domain: Domain) -> None:
        self.proofs.add((domain.host.text, domain.proof))

    def withdraw(self, domain: Domain) -> None:
        self.proofs.discard((domain.host.text, domain.proof))

    def look(self, domain: Domain) -> Look:
        self.looks.append(domain.host.text)
        self.meanwhile()
        return Look(found=ProofWay.DNS) if (domain.host.text, domain.proof) in self.proofs else ABSENT
