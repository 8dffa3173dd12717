"""Hosts that shops claim as theirs, and how they prove it. Spec: §3, ADR-22."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.policy import DOMAIN_LOST_AFTER

TOKEN_BYTES = 20
PROOF_PREFIX = "reviewinvite-verification="
RECORD_PREFIX = "_reviewinvite."
WELL_KNOWN_PATH = "/.well-known/reviewinvite.txt"


class VerificationStatus(StrEnum):
    """Verification status of a host."""

    UNPROVED = "unproved"
    VERIFIED = "verified"
    VOUCHED = "vouched"
    MISSING = "missing"
    LOST = "lost"


class ProofWay(StrEnum):
    """Method by which a shop proves that a host belongs to it."""

    DNS = "dns"
    WELL_KNOWN = "well_known"


class FailureReason(StrEnum):
    """Why a method found no proof."""

    NO_RECORD = "no_record"
    OTHER_TOKEN = "other_token"  # noqa: S105 - not a password
    NO_ANSWER = "no_answer"
    NOT_PUBLIC = "not_public"
    NO_HOST = "no_host"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    NOT_TRUSTED = "not_trusted"


@attrs.frozen(kw_only=True)
class VerificationResult:
    """Result of one check: the method that found the proof, or None and the reason why each method failed."""

    found: ProofWay | None
    absences: tuple[tuple[ProofWay, FailureReason], ...] = ()

    @property
    def reason(self) -> str:
        """Why there is no proof, one `method:reason` each: `dns:no_record well_known:refused`."""
        return " ".join(f"{way}:{absence}" for way, absence in self.absences)


@attrs.frozen(kw_only=True)
class Domain:
    """A shop's host and the token that proves it. All instants are UTC.

    `verified_at` is when the host was verified, or None while it is not. A `vouched` host was verified by an operator
    and is never rechecked. `checked_at` is when it was last checked, `missing_since` when checks began to fail,
    `lost_at` when it lost its verification, and `reason` why the last check failed.
    """

    shop_number: int
    host: HostName
    token: str
    added_at: datetime
    verified_at: datetime | None = None
    vouched: bool = False
    checked_at: datetime | None = None
    missing_since: datetime | None = None
    lost_at: datetime | None = None
    reason: str = ""

    @property
    def verified(self) -> bool:
        """Whether the host is verified at present."""
        return self.verified_at is not None

    @property
    def status(self) -> VerificationStatus:
        """Verification status of this host."""
        if self.verified_at is None:
            return VerificationStatus.LOST if self.lost_at else VerificationStatus.UNPROVED
        if self.vouched:
            return VerificationStatus.VOUCHED
        return VerificationStatus.MISSING if self.missing_since else VerificationStatus.VERIFIED

    @property
    def proof(self) -> str:
        """The text that proves the host: the value of the TXT record, and a line of the well-known file."""
        return PROOF_PREFIX + self.token

    @property
    def record_name(self) -> str:
        """Name of the TXT record."""
        return RECORD_PREFIX + self.host.text

    @property
    def well_known_url(self) -> str:
        """URL of the well-known file."""
        return f"https://{self.host.text}{WELL_KNOWN_PATH}"

    def vouched_for(self, at: datetime) -> Domain:
        """Return the host verified by an operator."""
        return attrs.evolve(self._verified(at), vouched=True)

    def after_check(self, result: VerificationResult, at: datetime, *, may_lose: bool = True) -> Domain:
        """Return the host after a check; a verified host without proof for 7 days becomes unverified.

        With `may_lose` False it stays verified, with its proof missing.
        """
        if result.found:
            return attrs.evolve(self._verified(at), checked_at=at)
        if self.verified_at is None:
            return attrs.evolve(self, checked_at=at, reason=result.reason)
        missing_since = self._missing_since(at, self.verified_at)
        still = attrs.evolve(self, checked_at=at, missing_since=missing_since, reason=result.reason)
        lost = may_lose and at - missing_since >= DOMAIN_LOST_AFTER
        return attrs.evolve(still, verified_at=None, lost_at=at) if lost else still

    def _missing_since(self, at: datetime, verified_at: datetime) -> datetime:
        """Return the instant since which checks have failed.

        That is `at` if the stored instant came from a wrong clock, because it lies in the future or before the
        verification.
        """
        since = self.missing_since or at
        by_a_wrong_clock = since > at or since < verified_at <= at
        return at if by_a_wrong_clock else since

    def _verified(self, at: datetime) -> Domain:
        since = self.verified_at or at
        return attrs.evolve(self, verified_at=since, missing_since=None, lost_at=None, reason="")


@attrs.frozen(kw_only=True)
class Rechecked:
    """A shop's host before and after a check."""

    site_id: str
    before: Domain
    after: Domain


def domain_token(entropy: bytes) -> str:
    """Return a token made from 20 random bytes: 32 lower-case letters and digits, easy for DNS and for people."""
    return base64.b32encode(entropy[:TOKEN_BYTES]).decode("ascii").lower()


def absence_among(texts: Iterable[str], proof: str) -> FailureReason | None:
    """Return why `proof` is not among the texts that a host publishes, ignoring blanks around each; None if it is.

    The comparison need not take constant time, because the proof is public.
    """
    published = [text.strip() for text in texts]
    if proof in published:
        return None
    foreign = any(text.startswith(PROOF_PREFIX) for text in published)
    return FailureReason.OTHER_TOKEN if foreign else FailureReason.NO_RECORD
