"""Views of a shop's badge and verification: counted together, by the calendar day in UTC. Spec: §8, ADR-25."""

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
    """How somebody asks: who wants to know only what would be shown takes nothing from the day's views."""

    COUNT = "view"
    DRY_RUN = "peek"


@attrs.frozen(kw_only=True)
class ViewLimits:
    """How many views a day a free profile has, and a member: a shop with the trust mark, or that had it. ADR-33."""

    free: DailyQuota
    member: DailyQuota

    def of(self, shop: Shop) -> DailyQuota:
        """The shop's own."""
        return self.free if shop.trust_mark is TrustMark.ABSENT else self.member


@attrs.frozen
class Crossing:
    """A share (in per cent) of the day's limit, told by the view that used it up."""

    share: int
    limit: int


def crossings(quota: DailyQuota, nth: int) -> tuple[Crossing, ...]:
    """What the day's `nth` view has crossed: of all views of a day, one crosses each share, where there is a limit.

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
    """Return the lock of one shop's count of views."""
    return lock_id(LockKind.VIEWS, site_id)


def max_age(now: datetime) -> timedelta:
    """For how long a browser may show a badge without asking anew: 5 minutes, and never past 00:00 UTC."""
    return min(MAX_AGE, next_midnight(now) - now)
