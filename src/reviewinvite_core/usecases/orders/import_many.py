"""Report many orders in one unit of work."""

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
    """Return the locks of all reported orders (`ports.LockedUnit`), or no lock if there are too many orders.

    A server has room for a few thousand locks, so a larger import takes no locks. If two imports contain the same
    orders, each order is still stored once; if the imports wait for each other, one of them is rerun (ADR-13).
    """
    return frozenset(map(order_lock, reports)) if len(reports) <= MOST_LOCKS else frozenset()


@write(locks=import_locks)
def import_orders(
    ctx: UnitContext, caller: Caller, reports: Sequence[OrderReport]
) -> Sequence[Reported | ShopInactive]:
    """Report many orders in one unit of work: all of them are stored, or the whole import has no effect."""
    shop = ctx.store.shops.by_number(caller.shop_number)
    if shop is None or not shop.active:
        return [ShopInactive()] * len(reports)
    return schedule_invitations(ctx, [(shop, report) for report in reports])
