"""Views of a shop's badge and verification, counted together by the calendar day in UTC. Spec: §8, ADR-25."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

import attrs

from reviewinvite_core.domain.limits import DailyQuota, LimitKey, next_midnight
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.policy import LEAST_SHARE, VIEW_CACHED_FOR
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.trust_mark import TrustMark


class CountMode(StrEnum):
    """Whether a request counts as a view; a dry run does not use up the day's views."""

    COUNT = "view"
    DRY_RUN = "peek"


@attrs.frozen(kw_only=True)
class ViewLimits:
    """Views a day for free profiles and for members: shops that have, or had, the trust mark. ADR-33.

    One client may use `percent_per_client` of them; 0 means all. ADR-43.
    """

    free: DailyQuota
    member: DailyQuota
    percent_per_client: int = 0

    def of(self, shop: Shop) -> DailyQuota:
        """Return the daily quota of this shop."""
        return self.free if shop.trust_mark is TrustMark.ABSENT else self.member

    def share_of(self, shop: Shop) -> DailyQuota:
        """Return the part of the shop's daily quota that one client may use."""
        quota = self.of(shop)
        if quota.off or self.percent_per_client == 0:
            return DailyQuota(0)
        return DailyQuota(max(quota.count * self.percent_per_client // 100, LEAST_SHARE), "views_per_client_percent")


def views_of(shop: Shop) -> LimitKey:
    """Return the key of a shop's view counter."""
    return LimitKey(shop.number, "views")


def view_lock(site_id: str) -> int:
    """Return the lock of one shop's view counter."""
    return lock_id(LockKind.VIEWS, site_id)


def max_age(now: datetime) -> timedelta:
    """Return how long a browser may cache a badge: 5 minutes, but never past 00:00 UTC."""
    return min(VIEW_CACHED_FOR, next_midnight(now) - now)
