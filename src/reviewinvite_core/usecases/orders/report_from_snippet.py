"""What becomes of an order that a customer's browser tells of, in the order of Spec: §4.2. Why so: ADR-23."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.errors import Invalid, LimitReached, OriginForeign, ShopInactive
from reviewinvite_core.domain.limits import LimitKey, day_of
from reviewinvite_core.domain.orders import OrderReport, Reported, SnippetReport, address_hash, address_lock, order_lock
from reviewinvite_core.domain.origins import all_covering, covering, host_of_origin
from reviewinvite_core.domain.shop import Shop, shop_lock
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.rate_limit import consume_rate_limit
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.schedule import schedule_invitations

NO_SHOP = 0
SNIPPET_QUOTA = "snippets"


@attrs.frozen
class Acknowledged:
    """The report was accepted; whether it is a new order, a repeat or forgotten is not said. Spec: §4.2."""

    ok: bool = True


ACKNOWLEDGED = Acknowledged()

SnippetAnswer: TypeAlias = Acknowledged | Invalid | OriginForeign | ShopInactive | LimitReached
Request: TypeAlias = tuple[ClientAddress, str | None, SnippetReport | Invalid]
Order: TypeAlias = tuple[Shop, OrderReport]


def snippet_locks(client: ClientAddress, _: str | None, report: SnippetReport | Invalid) -> frozenset[int]:
    """What a request must have to itself (`ports.LockedUnit`): the client's limit, the order, and the address's cap."""
    if isinstance(report, Invalid):
        return frozenset({client.lock})
    return frozenset({client.lock, order_lock(report.order), address_lock(report.order.email)})


def shared_locks(_: ClientAddress, __: str | None, report: SnippetReport | Invalid) -> frozenset[int]:
    """What requests that run as one may share (`ports.Batchable`): the shop, whose ceiling they keep together."""
    return frozenset() if isinstance(report, Invalid) else frozenset({shop_lock(report.site_id)})


def report_snippets(ctx: UnitContext, requests: Sequence[Request]) -> Sequence[SnippetAnswer]:
    """Answer many requests; no two of them have a client, an order or an address in common."""
    limit_keys = [LimitKey(NO_SHOP, f"snippets:{client.hash(ctx.ring.address).hex()}") for client, _, _ in requests]
    refused = consume_rate_limit(ctx, ctx.policies.snippets_per_minute, limit_keys)
    admitted = [request for request, limit_key in zip(requests, limit_keys, strict=True) if limit_key not in refused]
    answers = iter(_answers(ctx, admitted))
    return [refused.get(limit_key) or next(answers) for limit_key in limit_keys]


@write(locks=snippet_locks, batch=report_snippets, shared_locks=shared_locks)
def report_snippet(
    ctx: UnitContext, client: ClientAddress, origin: str | None, report: SnippetReport | Invalid
) -> SnippetAnswer:
    """Take from the client's limit, check origin and shop, then report, so far as the shop's ceiling has room.

    `origin` is the request's `Origin` header, whole.
    """
    return report_snippets(ctx, [(client, origin, report)])[0]


def _answers(ctx: UnitContext, requests: Sequence[Request]) -> Sequence[SnippetAnswer]:
    """What each is told that its client's limit has let through."""
    reports = [(origin, report) for _, origin, report in requests if isinstance(report, SnippetReport)]
    shops = iter(_shops(ctx, reports))
    asked = [(report, next(shops) if isinstance(report, SnippetReport) else None) for _, _, report in requests]
    orders = [
        (shop, report.order) for report, shop in asked if isinstance(report, SnippetReport) and isinstance(shop, Shop)
    ]
    reported = iter(_below_quotas(ctx, orders))

    def answer(report: SnippetReport | Invalid, shop: Shop | OriginForeign | ShopInactive | None) -> SnippetAnswer:
        if isinstance(report, Invalid):
            return report
        return shop if isinstance(shop, OriginForeign | ShopInactive) else next(reported)

    return [answer(report, shop) for report, shop in asked]


def _shops(
    ctx: UnitContext, reports: Sequence[tuple[str | None, SnippetReport]]
) -> Sequence[Shop | OriginForeign | ShopInactive]:
    """The shop of each report, where the origin is the shop's own; an unknown shop has none."""
    hosts = [host_of_origin(origin) for origin, _ in reports]
    holders = ctx.store.domains.holders(all_covering(host for host in hosts if host))
    known = ctx.store.shops.named({report.site_id.text for _, report in reports})

    def shop_of(host: str | None, site_id: str) -> Shop | OriginForeign | ShopInactive:
        shop = known.get(site_id)
        if shop is None or host is None or shop.number not in {holders.get(each) for each in covering(host)}:
            return OriginForeign()
        return shop if shop.active else ShopInactive()

    return [shop_of(host, report.site_id.text) for host, (_, report) in zip(hosts, reports, strict=True)]


def _below_quotas(ctx: UnitContext, orders: Sequence[Order]) -> Sequence[Acknowledged | LimitReached]:
    """Report each order whose shop's ceiling has room; a new one takes from it.

    As one, where all of a shop's fit whatever they turn out to be; else one after the other, as far as there is room.
    """
    if ctx.policies.snippets_per_day.off:
        _report(ctx, orders)
        return [ACKNOWLEDGED] * len(orders)
    asked = Counter(shop.number for shop, _ in orders)
    counted = Counter(_counted(ctx, asked))
    fit = {shop for shop, count in asked.items() if counted[shop] + count <= ctx.policies.snippets_per_day.count}
    counted.update(_report_and_count(ctx, [order for order in orders if order[0].number in fit]))

    def answer(order: Order) -> Acknowledged | LimitReached:
        shop = order[0].number
        if shop in fit:
            return ACKNOWLEDGED
        refusal = ctx.policies.snippets_per_day.refusal(counted[shop], ctx.now)
        if refusal is None:
            counted.update(_report_and_count(ctx, [order]))
        return refusal or ACKNOWLEDGED

    return [answer(order) for order in orders]


def _counted(ctx: UnitContext, shops: Collection[int]) -> Mapping[int, int]:
    """How many new orders were counted today, by the shop's number."""
    limit_keys = [LimitKey(shop, SNIPPET_QUOTA) for shop in shops]
    counted = ctx.store.daily_counters.counted(limit_keys, day_of(ctx.now))
    return {limit_key.shop_number: count for limit_key, count in counted.items()}


def _report_and_count(ctx: UnitContext, orders: Sequence[Order]) -> Mapping[int, int]:
    """Report all of them, and count the new ones; how many those were, by the shop's number."""
    new = Counter(shop.number for shop in _report(ctx, orders))
    ctx.store.daily_counters.count(
        {LimitKey(shop, SNIPPET_QUOTA): count for shop, count in new.items()}, day_of(ctx.now)
    )
    return new


def _report(ctx: UnitContext, orders: Sequence[Order]) -> Sequence[Shop]:
    """Schedule the invitations of all that the recipient's cap lets through; the shop of each new order.

    What is over the cap is forgotten as if it had never come, so that the orders API may bring it later.
    """
    below_cap = _below_cap(ctx, orders)
    reported: Sequence[Reported] = schedule_invitations(ctx, below_cap, by_snippet=True)
    return [shop for (shop, _), each in zip(below_cap, reported, strict=True) if not each.duplicate]


def _below_cap(ctx: UnitContext, orders: Sequence[Order]) -> Sequence[Order]:
    """Those whose address browsers have not reported to the shop as often as they may in a day's time.

    What is dated more than a day ahead was so by a clock that was ahead, and binds nobody: what the cap holds back is
    told to no one, and would be lost until the clock is there.
    """
    cap = ctx.policies.snippets_per_recipient
    if cap.off:
        return orders
    recipients = [(shop.number, address_hash(ctx.ring.address, report.email)) for shop, report in orders]
    counts = ctx.store.invitations.count_by_snippet(recipients, ctx.now - cap.window, ctx.now + cap.window)
    return [order for order, each in zip(orders, recipients, strict=True) if counts.get(each, 0) < cap.count]
