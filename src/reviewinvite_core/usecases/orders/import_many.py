"""Report many orders, all or none."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ShopInactive
from reviewinvite_core.domain.orders import OrderReport, Reported, order_lock
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.schedule import schedule_invitations

MOST_LOCKS = 1_000


def import_locks(_: Caller, reports: Sequence[OrderReport]) -> frozenset[int]:
    """What many reports must have to themselves (`ports.LockedUnit`): their orders, if they are not too many.

    A server has room for some thousands of locks. Who would need more takes none: of two that bring the same orders,
    each is still stored once, and should the two wait for each other, one is run again (ADR-13).
    """
    return frozenset(map(order_lock, reports)) if len(reports) <= MOST_LOCKS else frozenset()


@write(locks=import_locks)
def import_orders(
    ctx: UnitContext, caller: Caller, reports: Sequence[OrderReport]
) -> Sequence[Reported | ShopInactive]:
    """Report many orders in one unit of work: all are kept, or none."""
    shop = ctx.store.shops.by_number(caller.shop_number)
    if shop is None or not shop.active:
        return [ShopInactive()] * len(reports)
    return schedule_invitations(ctx, [(shop, report) for report in reports])
