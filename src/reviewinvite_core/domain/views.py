"""Views of a shop's badge and verification, counted together by the calendar day in UTC. Spec: §8, ADR-25."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

import attrs

from reviewinvite_core.domain.limits import DailyQuota, LimitKey, next_midnight
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.trust_mark import TrustMark

REPORTED_SHARES = (50, 90)
MAX_AGE = timedelta(minutes=5)


class CountMode(StrEnum):
    """Whether a request counts as a view; a dry run does not use up the day's views."""

    COUNT = "view"
    DRY_RUN = "peek"


@attrs.frozen(kw_only=True)
class ViewLimits:
    """Daily quotas of views for free profiles and for members (shops that have, or had, the trust mark). ADR-33."""

    free: DailyQuota
    member: DailyQuota

    def of(self, shop: Shop) -> DailyQuota:
        """Return the daily quota of this shop."""
        return self.free if shop.trust_mark is TrustMark.ABSENT else self.member


@attrs.frozen
class Crossing:
    """A share (in per cent) of the day's limit, reported with the view that reached it."""

    share: int
    limit: int


def crossings(quota: DailyQuota, nth: int) -> tuple[Crossing, ...]:
    """Return the shares of the quota that the day's `nth` view crosses; each share is crossed by one view a day.

    >>> [nth for nth in range(1, 1001) if crossings(DailyQuota(1000), nth)]
    [500, 900]
    """
    limit = quota.count
    if quota.off or nth * 100 < REPORTED_SHARES[0] * limit:
        return ()
    return tuple(Crossing(share, limit) for share in REPORTED_SHARES if (nth - 1) * 100 < share * limit <= nth * 100)


def views_of(shop: Shop) -> LimitKey:
    """Return the key of a shop's view counter."""
    return LimitKey(shop.number, "views")


def view_lock(site_id: str) -> int:
    """Return the lock of one shop's view counter."""
    return lock_id(LockKind.VIEWS, site_id)


def max_age(now: datetime) -> timedelta:
    """Return how long a browser may cache a badge: 5 minutes, but never past 00:00 UTC."""
    return min(MAX_AGE, next_midnight(now) - now)
