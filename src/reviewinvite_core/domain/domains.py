"""A host that a shop says is its own, and what proves it. Spec: §3, ADR-22."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from enum import StrEnum

import attrs

from reviewinvite_core.domain.origins import HostName

TOKEN_BYTES = 20
LOST_AFTER = timedelta(days=7)
PROOF_PREFIX = "reviewinvite-verification="
RECORD_PREFIX = "_reviewinvite."
WELL_KNOWN_PATH = "/.well-known/reviewinvite.txt"


class VerificationStatus(StrEnum):
    """How it is with a shop's host."""

    UNPROVED = "unproved"
    VERIFIED = "verified"
    VOUCHED = "vouched"
    MISSING = "missing"
    LOST = "lost"


class ProofWay(StrEnum):
    """Where a proof was found."""

    DNS = "dns"
    WELL_KNOWN = "well_known"


class FailureReason(StrEnum):
    """Why no proof was found there."""

    NO_RECORD = "no_record"
    OTHER_TOKEN = "other_token"  # noqa: S105 - no password
    NO_ANSWER = "no_answer"
    NOT_PUBLIC = "not_public"
    NO_HOST = "no_host"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    NOT_TRUSTED = "not_trusted"


@attrs.frozen(kw_only=True)
class VerificationResult:
    """What a look for the proof has found: the way it is there by, or None, and why it is not there by the others."""

    found: ProofWay | None
    absences: tuple[tuple[ProofWay, FailureReason], ...] = ()

    @property
    def reason(self) -> str:
        """Why there is no proof, in one word a way: `dns:no_record well_known:refused`."""
        return " ".join(f"{way}:{absence}" for way, absence in self.absences)


@attrs.frozen(kw_only=True)
class Domain:
    """A shop's host, and the token that proves it. All instants are UTC.

    `verified_at` is since when it is verified, None if it is not; a `vouched` one is so on an operator's word, and
    never looked at again. `checked_at` is when its proof was looked for last, `missing_since` since when no look has
    found it, `lost_at` when it was not believed any more, and `reason` why the last look found none.
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
        """Whether it is the shop's own at present."""
        return self.verified_at is not None

    @property
    def status(self) -> VerificationStatus:
        """How it is with it."""
        if self.verified_at is None:
            return VerificationStatus.LOST if self.lost_at else VerificationStatus.UNPROVED
        if self.vouched:
            return VerificationStatus.VOUCHED
        return VerificationStatus.MISSING if self.missing_since else VerificationStatus.VERIFIED

    @property
    def proof(self) -> str:
        """The text that proves it: the value of the TXT record, and a line of the well-known file."""
        return PROOF_PREFIX + self.token

    @property
    def record_name(self) -> str:
        """The name of the TXT record."""
        return RECORD_PREFIX + self.host.text

    @property
    def well_known_url(self) -> str:
        """The address of the well-known file."""
        return f"https://{self.host.text}{WELL_KNOWN_PATH}"

    def vouched_for(self, at: datetime) -> Domain:
        """The same, verified on an operator's word."""
        return attrs.evolve(self._verified(at), vouched=True)

    def after_check(self, result: VerificationResult, at: datetime, *, may_lose: bool = True) -> Domain:
        """The same after a look for its proof; one that is verified and has had none for 7 days is so no longer.

        Unless it `may_lose` its verification it stays so, and missing.
        """
        if result.found:
            return attrs.evolve(self._verified(at), checked_at=at)
        if self.verified_at is None:
            return attrs.evolve(self, checked_at=at, reason=result.reason)
        missing_since = self._missing_since(at, self.verified_at)
        still = attrs.evolve(self, checked_at=at, missing_since=missing_since, reason=result.reason)
        lost = may_lose and at - missing_since >= LOST_AFTER
        return attrs.evolve(still, verified_at=None, lost_at=at) if lost else still

    def _missing_since(self, at: datetime, verified_at: datetime) -> datetime:
        """Since when no look has found it; from now on where that was dated by a clock that was wrong, and so is later
        than now, or before the host was verified.
        """
        since = self.missing_since or at
        by_a_wrong_clock = since > at or since < verified_at <= at
        return at if by_a_wrong_clock else since

    def _verified(self, at: datetime) -> Domain:
        since = self.verified_at or at
        return attrs.evolve(self, verified_at=since, missing_since=None, lost_at=None, reason="")


@attrs.frozen(kw_only=True)
class Rechecked:
    """A shop's host before and after a look for its proof."""

    site_id: str
    before: Domain
    after: Domain


def domain_token(entropy: bytes) -> str:
    """A token from 20 random bytes: 32 characters, lower-case letters and digits, as DNS and people take them."""
    return base64.b32encode(entropy[:TOKEN_BYTES]).decode("ascii").lower()
