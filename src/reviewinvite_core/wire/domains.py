"""The hosts of a shop and their proofs. Spec: §4.15, §4.16."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar

import attrs

from reviewinvite_core.domain.domains import (
    Domain as StoredDomain,
    FailureReason,
    ProofWay,
    VerificationResult,
    VerificationStatus,
)
from reviewinvite_core.domain.origins import HostName, to_host
from reviewinvite_core.wire.patterns import HOST
from reviewinvite_core.wire.shape import Shape, about, member

_HOST = about(
    "The host name, without https://, port or path. Without `www.` it also covers the one with `www.`.",
    examples=["example.nl"],
    max_length=253,
    pattern=HOST,
)


@attrs.frozen(kw_only=True)
class Domain(Shape):
    """A domain of the shop, with the proof to publish. Spec: §4.15."""

    host: str = member(_HOST)
    standing: VerificationStatus | str = member("Whether the host is verified, and if not, why.", example="unproved")
    verified: bool = member(example=False)
    txt_name: str = member("Name of the TXT record that may hold the proof.", example="_reviewinvite.example.nl")
    file_url: str = member(
        "Address of the file that may hold the proof, as a line of its own.",
        example="https://example.nl/.well-known/reviewinvite.txt",
    )
    proof: str = member(
        "The proof to publish, in one of the two places.",
        example="reviewinvite-verification=mfrggzdfmztwq2lknnwg23tpobyxe43u",
    )
    added_at: datetime = member(example="2026-03-02T09:15:00.000Z")
    verified_at: datetime | None
    checked_at: datetime | None
    missing_since: datetime | None = member("Since when checks have found no proof of a verified host.")
    lost_at: datetime | None = member("When the host lost its verification.")

    @classmethod
    def of(cls, domain: StoredDomain) -> Domain:
        return cls.taken_from(domain, **_proof(domain))


@attrs.frozen(kw_only=True)
class DomainList(Shape):
    """All hosts of a shop, sorted by name."""

    published_as: ClassVar = "MerchantDomains"

    domains: tuple[Domain, ...]

    @classmethod
    def of(cls, domains: Iterable[StoredDomain]) -> DomainList:
        return cls(domains=tuple(map(Domain.of, domains)))


@attrs.frozen(kw_only=True)
class NewDomain(Shape):
    """A host that the shop claims as its own."""

    host: HostName = member(_HOST, converter=to_host)


@attrs.frozen(kw_only=True)
class ProofAbsence(Shape):
    """Why one way of proving a host found no proof."""

    way: ProofWay | str
    reason: FailureReason | str


@attrs.frozen(kw_only=True)
class DomainCheck(Domain):
    """A domain after its check: where the proof was found, or why it was found in neither place. Spec: §4.16."""

    published_as: ClassVar = "CheckedDomain"
    example: ClassVar = {"checkedAt": "2026-03-02T09:16:00.000Z"}

    found: ProofWay | str | None = member("Where the proof was found, if anywhere.")
    absences: tuple[ProofAbsence, ...] = member(
        example=[{"way": "dns", "reason": "no_record"}, {"way": "well_known", "reason": "no_answer"}]
    )

    @classmethod
    def after(cls, result: VerificationResult | None, domain: StoredDomain) -> DomainCheck:
        """Return a host after its check; one that the operator vouches for is not checked and has no result."""
        return cls.taken_from(domain, **_proof(domain), found=result and result.found, absences=absences_of(result))


@attrs.frozen(kw_only=True)
class OperatorDomain(Shape):
    """A host of any shop, and why its last check failed."""

    host: str
    site_id: str
    standing: VerificationStatus
    verified: bool
    txt_name: str
    file_url: str
    proof: str
    added_at: datetime
    verified_at: datetime | None
    checked_at: datetime | None
    missing_since: datetime | None
    lost_at: datetime | None
    reason: str | None

    @classmethod
    def of(cls, domain: StoredDomain, site_id: str) -> OperatorDomain:
        return cls.taken_from(domain, **_proof(domain), site_id=site_id, reason=domain.reason or None)


def absences_of(result: VerificationResult | None) -> tuple[ProofAbsence, ...]:
    """Return why each way found no proof."""
    return tuple(ProofAbsence(way=way, reason=reason) for way, reason in (result.absences if result else ()))


def _proof(domain: StoredDomain) -> dict[str, object]:
    """Return the members that have other names in the interface than in the program."""
    return {
        "host": domain.host.text,
        "standing": domain.status,
        "txt_name": domain.record_name,
        "file_url": domain.well_known_url,
    }
