"""Show badges, configure them, and count their views. Spec: §4.3, §8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.badge import BadgeChanges, BadgeLook, Size, Theme
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.limits import Crossed, DailyQuota, crossings, day_of
from reviewinvite_core.domain.origins import covering, host_of_address
from reviewinvite_core.domain.refusals import ChangedMeanwhile, KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.scores import Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.trust_mark import Status
from reviewinvite_core.domain.views import CountMode, max_age, view_lock, views_of
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity import record, who_acts
from reviewinvite_core.usecases.admission import (
    CHANGE,
    NotAdmitted,
    acting_locks,
    credential_locks,
    is_charged,
    shop_of,
    shop_of_reader,
)
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.read import scores_for_shops


@write(locks=acting_locks)
def set_badge(
    ctx: UnitContext,
    actor: str | Actor | Credential,
    changes: BadgeChanges | BadgeLook | Invalid,
    seen: BadgeLook | None = None,
) -> Shop | ShopUnknown | NotAdmitted | Invalid | ChangedMeanwhile:
    """Update the given parts of a badge's appearance, or all of it; pages show that within 5 minutes."""
    shop = shop_of(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(changes, Invalid):
        return changes
    if seen not in (None, shop.badge):
        return ChangedMeanwhile()
    badge = changes if isinstance(changes, BadgeLook) else changes.applied_to(shop.badge)
    if badge == shop.badge:
        return shop
    changed = attrs.evolve(shop, badge=badge)
    ctx.store.shops.change(changed)
    record(ctx, shop, who_acts(ctx, actor), Action.BADGE_CHANGED, " ".join(filter(None, attrs.astuple(badge))))
    return changed


ViewRequest: TypeAlias = tuple[Shop, CountMode, ClientAddress | None]


@attrs.frozen
class CountedView:
    """An admitted view: the shares of the day that it crossed, and whether to report that one client makes most views.

    It is reported at most once a day in each process: the client may be a proxy that `TRUSTED_PROXIES` does not name.
    A dry run is not `counted`.
    """

    crossed: Crossed = ()
    one_client: bool = False
    counted: bool = True


def count_views(ctx: UnitContext, asked: Sequence[ViewRequest]) -> Sequence[CountedView | LimitReached]:
    """Admit views in order, as far as each shop's limit and each client's share have room.

    With `CountMode.DRY_RUN` the answer is the same, and nothing is counted. No share applies without a client.
    """
    day = day_of(ctx.now)
    limit_keys = {shop.number: views_of(shop) for shop, _, _ in asked}
    before = ctx.store.daily_counters.counted(limit_keys.values(), day)
    counted = {number: before.get(limit_key, 0) for number, limit_key in limit_keys.items()}
    answers: list[CountedView | LimitReached] = []
    for shop, count_mode, client in asked:
        quota = ctx.policies.views_per_day.of(shop)
        share = None if client is None or quota.off else _Share(ctx, day, shop, client)
        refusal = quota.refusal(counted[shop.number], ctx.now) or (share and share.refusal(ctx))
        if refusal is None and count_mode is CountMode.COUNT:
            counted[shop.number] += 1
            one_client = share is not None and share.take(quota) and ctx.client_counts.first_report()
            answers.append(CountedView(crossings(quota, counted[shop.number]), one_client))
        else:
            answers.append(refusal or CountedView(counted=False))
    new = {limit_key: counted[number] - before.get(limit_key, 0) for number, limit_key in limit_keys.items()}
    ctx.store.daily_counters.count({limit_key: more for limit_key, more in new.items() if more}, day)
    return answers


class _Share:
    """One client's share of a shop's views of a day."""

    def __init__(self, ctx: UnitContext, day: date, shop: Shop, client: ClientAddress) -> None:
        self._quota = ctx.policies.views_per_day.share_of(shop)
        self._clients = ctx.client_counts.of(views_of(shop), day)
        self._client = client.customer.hash(ctx.ring.address)

    def refusal(self, ctx: UnitContext) -> LimitReached | None:
        return self._quota.refusal(self._clients.count(self._client), ctx.now)

    def take(self, of_shop: DailyQuota) -> bool:
        """Count a view; return whether the client has made most views, and used half of what it may use."""
        count = self._clients.add(self._client)
        may_use = min(self._quota.count or of_shop.count, of_shop.count)
        return 2 * count > max(self._clients.total, may_use)


NO_CACHE = timedelta()


@attrs.frozen(kw_only=True, cache_hash=True)
class Badge:
    """Everything that a badge shows, and the verified hosts whose pages may show it. Popular badges are cached."""

    site_id: str
    name: str
    hosts: tuple[str, ...]
    status: Status
    score: Score
    theme: Theme
    size: Size
    language: Language


class WhyHidden(StrEnum):
    """Why no badge is drawn."""

    SHOP_UNKNOWN = "shop_unknown"
    FOREIGN_PAGE = "foreign_page"
    MARK_REVOKED = "mark_revoked"
    SHOP_INACTIVE = "shop_inactive"
    LIMIT_REACHED = "limit_reached"


@attrs.frozen(kw_only=True)
class BadgeShown:
    """A badge that a browser may cache for `max_age`.

    `crossed` are the shares of the day's limit that this view reached. `one_client` is true for at most one view a day
    in each process: one client makes most of a shop's views, and may be a proxy that `TRUSTED_PROXIES` does not name.
    `counted` is false for a dry run.
    """

    badge: Badge
    max_age: timedelta
    crossed: Crossed = ()
    one_client: bool = False
    counted: bool = attrs.field(default=True, eq=False, repr=False)


@attrs.frozen(kw_only=True)
class BadgeHidden:
    """No badge is shown, and no view is counted. Cacheable for `max_age`; 0 if the answer is for one page only.

    `limit` is the name of the limit that is used up, if that is why.
    """

    why: WhyHidden
    max_age: timedelta
    limit: str = attrs.field(default="", eq=False, repr=False)


BadgeAnswer: TypeAlias = BadgeShown | BadgeHidden
Request: TypeAlias = tuple[str, str | None, CountMode, ClientAddress | None]

_WHY_NOT_DRAWN = {Status.REVOKED: WhyHidden.MARK_REVOKED, Status.INACTIVE: WhyHidden.SHOP_INACTIVE}


def badge_locks(site_id: str, *_: object) -> frozenset[int]:
    """Return the lock of the shop's views, which requests of one batch may share (`ports.Batchable`)."""
    return frozenset({view_lock(site_id)})


def show_badges(ctx: UnitContext, requests: Sequence[Request]) -> Sequence[BadgeAnswer]:
    """Return the answers to many requests, in order (`ports.Batchable`)."""
    shops = ctx.store.shops.named({site_id for site_id, *_ in requests})
    numbers = [shop.number for shop in shops.values()]
    hosts = {number: tuple(names) for number, names in ctx.store.domains.verified_of(numbers).items()}

    def candidate(site_id: str, referer: str | None) -> Shop | WhyHidden:
        shop = shops.get(site_id)
        if shop is None:
            return WhyHidden.SHOP_UNKNOWN
        if _is_foreign(referer, hosts.get(shop.number, ())):
            return WhyHidden.FOREIGN_PAGE
        return _WHY_NOT_DRAWN.get(shop.status, shop)

    candidates = [candidate(site_id, referer) for site_id, referer, *_ in requests]
    drawn = [
        (each, count_mode, client)
        for each, (_, _, count_mode, client) in zip(candidates, requests, strict=True)
        if isinstance(each, Shop)
    ]
    counted = iter(count_views(ctx, drawn))
    _note_seen(ctx, candidates, requests)
    badges = _badges(ctx, [each for each, *_ in drawn], hosts)

    def answer(shop: Shop | WhyHidden) -> BadgeAnswer:
        if isinstance(shop, WhyHidden):
            return _hidden(ctx, shop)
        view = next(counted)
        if isinstance(view, LimitReached):
            return attrs.evolve(_hidden(ctx, WhyHidden.LIMIT_REACHED), limit=view.limit)
        return BadgeShown(
            badge=badges[shop.number],
            max_age=max_age(ctx.now),
            crossed=view.crossed,
            one_client=view.one_client,
            counted=view.counted,
        )

    return [answer(each) for each in candidates]


@write(locks=badge_locks, batch=show_badges, shared_locks=badge_locks)
def show_badge(
    ctx: UnitContext, site_id: str, referer: str | None, count_mode: CountMode, client: ClientAddress | None
) -> BadgeAnswer:
    """Return the badge for a page, counted if it is a view; `referer` is the complete header.

    If the referer's host is not one of the shop's, no badge is shown. A request without a referer, or without a host in
    it, is trusted.
    """
    return show_badges(ctx, [(site_id, referer, count_mode, client)])[0]


def _note_seen(ctx: UnitContext, candidates: Sequence[Shop | WhyHidden], requests: Sequence[Request]) -> None:
    """Note the badges that pages of the shops' own hosts show for the first time; opening the address shows nothing."""
    seen = {
        shop.number
        for shop, (_, referer, count_mode, _) in zip(candidates, requests, strict=True)
        if isinstance(shop, Shop) and shop.badge_seen_at is None and count_mode is CountMode.COUNT
        if host_of_address(referer) is not None
    }
    if seen:
        ctx.store.shops.note_badges_seen(seen, ctx.now)


def _is_foreign(referer: str | None, hosts: Sequence[str]) -> bool:
    host = host_of_address(referer)
    return host is not None and covering(host).isdisjoint(hosts)


def _hidden(ctx: UnitContext, why: WhyHidden) -> BadgeHidden:
    return BadgeHidden(why=why, max_age=NO_CACHE if why is WhyHidden.FOREIGN_PAGE else max_age(ctx.now))


def _badges(ctx: UnitContext, shops: Sequence[Shop], hosts: Mapping[int, tuple[str, ...]]) -> Mapping[int, Badge]:
    """Return each shop's badge, by shop number."""
    different = {shop.number: shop for shop in shops}
    scores = scores_for_shops(ctx, list(different.values()))
    return {
        number: Badge(
            site_id=shop.site_id.text,
            name=shop.name,
            hosts=hosts.get(number, ()),
            status=shop.status,
            score=scores[number],
            theme=shop.badge.theme,
            size=shop.badge.size,
            language=shop.badge.language or shop.language,
        )
        for number, shop in different.items()
    }


@attrs.frozen(kw_only=True)
class DayOfViews:
    """Number of a shop's views today (UTC), and its limit; `limit` None means no limit."""

    counted: int
    limit: int | None


@write(locks=credential_locks, only_if=is_charged)
def show_views(
    ctx: UnitContext, actor: str | Actor | Credential
) -> DayOfViews | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's views of today and their limit."""
    shop = shop_of_reader(ctx, actor)
    if not isinstance(shop, Shop):
        return shop
    limit_key, quota = views_of(shop), ctx.policies.views_per_day.of(shop)
    counted = ctx.store.daily_counters.counted([limit_key], day_of(ctx.now)).get(limit_key, 0)
    return DayOfViews(counted=counted, limit=None if quota.off else quota.count)
