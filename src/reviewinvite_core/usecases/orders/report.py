"""Report an order, with the checks in the order of Spec: §4.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from reviewinvite_core.domain.api_key import Credential
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.orders import OrderReport, Reported, order_lock
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import ORDER, Rejected, admit_all, credential_locks
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.schedule import schedule_invitations

OrderAnswer: TypeAlias = Reported | Rejected | Invalid


def order_locks(caller: Credential, report: OrderReport | Invalid) -> frozenset[int]:
    """Return the locks of the key's limit and of the order."""
    locks = credential_locks(caller)
    return locks if isinstance(report, Invalid) else locks | {order_lock(report)}


def report_orders(
    ctx: UnitContext, requests: Sequence[tuple[Credential, OrderReport | Invalid]]
) -> Sequence[OrderAnswer]:
    """Return the answer to each request; no two share a key or an order (`ports.Batchable`)."""
    shops = admit_all(ctx, [caller for caller, _ in requests], ORDER)
    asked = [(shop, report) for shop, (_, report) in zip(shops, requests, strict=True)]
    orders = [(shop, report) for shop, report in asked if isinstance(shop, Shop) and isinstance(report, OrderReport)]
    reported = iter(schedule_invitations(ctx, orders))

    def answer(shop: Shop | Rejected, report: OrderReport | Invalid) -> OrderAnswer:
        if not isinstance(shop, Shop):
            return shop
        return report if isinstance(report, Invalid) else next(reported)

    return [answer(shop, report) for shop, report in asked]


@write(locks=order_locks, batch=report_orders)
def report_order(ctx: UnitContext, caller: Credential, report: OrderReport | Invalid) -> OrderAnswer:
    """Schedule the order's invitation, or return the existing one. Invalid bodies still count against the limit."""
    return report_orders(ctx, [(caller, report)])[0]
