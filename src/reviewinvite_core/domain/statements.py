"""The content of a signed statement about a shop, and its bytes in the canonical form of RFC 8785. Spec: §2, §4.4."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.policy import STATEMENT_VALID_FOR
from reviewinvite_core.domain.scores import Score
from reviewinvite_core.domain.timing import iso_milliseconds
from reviewinvite_core.domain.trust_mark import Status

TYPE = "reviewinvite/statement/v1"


@attrs.frozen(kw_only=True)
class Statement:
    """A statement about a shop, valid from `issued_at` (a whole minute, UTC) to `expires_at`, 10 minutes later."""

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
        """Return the statement for the minute that contains `now`; it is the same for all of that minute."""
        issued_at = _minute_of(now)
        return cls(
            site_id=site_id,
            name=name,
            domains=domains,
            status=status,
            count=score.count,
            mean=score.mean,
            issued_at=issued_at,
            expires_at=issued_at + STATEMENT_VALID_FOR,
        )

    @property
    def claims(self) -> dict[str, object]:
        """The statement as a JSON object."""
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

        Python's own encoder produces the form of RFC 8785 if all names are ASCII and all numbers are whole and below
        2**53. It takes a third of the time of a general RFC 8785 encoder.
        """
        return _ENCODER.encode(self.claims).encode()


def life_left(now: datetime) -> timedelta:
    """Return how long the statement issued now remains valid."""
    return _minute_of(now) + STATEMENT_VALID_FOR - now


def _minute_of(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0)


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
