"""Report an order, without a limit. Spec: §1, §2."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ShopInactive
from reviewinvite_core.domain.orders import OrderReport, Reported, order_lock
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.schedule import schedule_invitations


def report_orders(
    ctx: UnitContext, requests: Sequence[tuple[Caller, OrderReport]]
) -> Sequence[Reported | ShopInactive]:
    """The results of many reports, of any callers."""
    numbers = {caller.shop_number for caller, _ in requests}
    shops = {number: ctx.store.shops.by_number(number) for number in numbers}
    active = {number: shop for number, shop in shops.items() if shop and shop.active}
    orders = [(active[caller.shop_number], report) for caller, report in requests if caller.shop_number in active]
    reported = iter(schedule_invitations(ctx, orders))
    return [next(reported) if caller.shop_number in active else ShopInactive() for caller, _ in requests]


def order_locks(_: Caller, report: OrderReport) -> frozenset[int]:
    """What a report must have to itself (`ports.LockedUnit`): its order."""
    return frozenset({order_lock(report)})


@write(locks=order_locks, batch=report_orders)
def report_order(ctx: UnitContext, caller: Caller, report: OrderReport) -> Reported | ShopInactive:
    """Schedule the order's invitation, or give the one it already has."""
    return report_orders(ctx, [(caller, report)])[0]
