"""Show a shop's badge on a page. Spec: §4.3, ADR-25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.badge import Size, Theme
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.errors import LimitReached
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.limits import Crossed
from reviewinvite_core.domain.origins import covering, host_of_address
from reviewinvite_core.domain.scores import Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.trust_mark import Status
from reviewinvite_core.domain.views import CountMode, max_age, view_lock
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.badges.count_views import count_views
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.scores import scores_for_shops

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
