"""Show the overview of a shop: its figures, how far its set-up is, and what is wrong. ADR-58."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

import attrs

from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.limits import DailyQuota, LimitKey, day_of
from reviewinvite_core.domain.overview import Checklist, DayCount, Trouble, Week, first_week, troubles, weeks_until
from reviewinvite_core.domain.scores import Distribution, Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.views import views_of
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import credential_locks, is_charged, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.report_from_snippet import SNIPPET_QUOTA
from reviewinvite_core.usecases.reviews.scores import scores_for_shops


@attrs.frozen(kw_only=True)
class Overview:
    """The overview of a shop; what counts many rows is kept, not counted.

    `weeks` are the 52 ISO weeks (UTC) that end with the present one, oldest first. `invitations` has the number of
    invitations that reached each final state in these weeks, and of those that are uncertain now; states without any
    are left out. `views` and `snippets` are those of today.
    """

    shop: Shop
    today: date
    checklist: Checklist
    weeks: Sequence[Week]
    invitations: Mapping[State, int]
    all_time: Distribution
    last_12_months: Score
    views: DayCount
    snippets: DayCount
    troubles: Sequence[Trouble]

    @property
    def response_percent(self) -> str | None:
        """Reviews for each hundred invitations sent in the 52 weeks, to a tenth, at most 100; None if none was sent."""
        sent = sum(week.sent for week in self.weeks)
        written = sum(week.reviews.score.count for week in self.weeks)
        if sent == 0:
            return None
        tenths = min(1000, (2000 * written + sent) // (2 * sent))
        return f"{tenths // 10}.{tenths % 10}"


@write(locks=credential_locks, only_if=is_charged)
def show_overview(ctx: UnitContext, acting: Acting) -> Overview | ShopUnknown | KeyRefused | LimitReached:
    """Return the overview of a shop."""
    shop = shop_of_reader(ctx, acting)
    if not isinstance(shop, Shop):
        return shop
    today = day_of(ctx.now)
    figures = ctx.store.invitation_figures.figures(shop.number, first_week(today))
    domains = ctx.store.domains.of_shop(shop.number)
    views, snippets = _counts(ctx, shop)
    by_state: Counter[State] = Counter()
    for (counted, _), number in figures.items():
        if isinstance(counted, State):
            by_state[counted] += number
    return Overview(
        shop=shop,
        today=today,
        checklist=Checklist(
            key_made=any(key.revoked_at is None for key in ctx.store.api_keys.of_shop(shop.number)),
            order_reported=bool(ctx.store.invitations.of_shop(shop.number, before=None, order_number=None, limit=1)),
            domain_verified=any(domain.verified for domain in domains),
            badge_seen=shop.badge_seen_at is not None,
            domains_waiting=sum(not domain.verified for domain in domains),
        ),
        weeks=weeks_until(today, figures, ctx.store.reviews.weeks(shop.number, first_week(today))),
        invitations=by_state,
        all_time=ctx.store.reviews.distribution(shop.number),
        last_12_months=scores_for_shops(ctx, [shop])[shop.number],
        views=views,
        snippets=snippets,
        troubles=list(troubles(shop, domains, views=views, snippets=snippets, figures=figures, today=today)),
    )


def _counts(ctx: UnitContext, shop: Shop) -> tuple[DayCount, DayCount]:
    """Return the views and the browsers' new orders of today, each with its limit."""
    limits: Mapping[LimitKey, DailyQuota] = {
        views_of(shop): ctx.policies.views_per_day.of(shop),
        LimitKey(shop.number, SNIPPET_QUOTA): ctx.policies.snippets_per_day,
    }
    counted = ctx.store.daily_counters.counted(list(limits), day_of(ctx.now))
    views, snippets = (
        DayCount(counted=counted.get(limit_key, 0), limit=None if quota.off else quota.count)
        for limit_key, quota in limits.items()
    )
    return views, snippets
