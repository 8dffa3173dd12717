"""What is signed about a shop, and its bytes: the canonical form of RFC 8785. Spec: §2, §4.4."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.scores import Score
from reviewinvite_core.domain.timing import iso_milliseconds
from reviewinvite_core.domain.trust_mark import Status

TYPE = "reviewinvite/statement/v1"
LIFE = timedelta(minutes=10)


@attrs.frozen(kw_only=True)
class Statement:
    """The service's word about a shop, from `issued_at` (a whole minute, UTC) to `expires_at`, 10 minutes later."""

    site_id: str
    name: str
    domains: tuple[str, ...]
    status: Status
    count: int
    mean: str | None
    issued_at: datetime
    expires_at: datetime

    @classmethod
    def issued(
        cls, *, site_id: str, name: str, domains: tuple[str, ...], status: Status, score: Score, now: datetime
    ) -> Statement:
        """The statement of the minute that `now` is in: asked again within it, the same."""
        issued_at = _minute_of(now)
        return cls(
            site_id=site_id,
            name=name,
            domains=domains,
            status=status,
            count=score.count,
            mean=score.mean,
            issued_at=issued_at,
            expires_at=issued_at + LIFE,
        )

    @property
    def claims(self) -> dict[str, object]:
        """The statement as JSON has it."""
        return {
            "type": TYPE,
            "siteId": self.site_id,
            "name": self.name,
            "domains": list(self.domains),
            "status": self.status.value,
            "rating": {"count": self.count, "mean": self.mean},
            "issuedAt": iso_milliseconds(self.issued_at),
            "expiresAt": iso_milliseconds(self.expires_at),
        }

    @property
    def canonical(self) -> bytes:
        """The bytes that are signed.

        Python's own encoder writes the form of RFC 8785 where all names are ASCII and there is no number but whole ones
        below 2**53; it takes a third of the time of one that writes it for all JSON.
        """
        return _ENCODER.encode(self.claims).encode()


def life_left(now: datetime) -> timedelta:
    """For how long the statement that is issued now is still of use."""
    return _minute_of(now) + LIFE - now


def _minute_of(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0)


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
