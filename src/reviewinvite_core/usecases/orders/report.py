"""Report an order, with the checks in the order of Spec: §4.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from reviewinvite_core.domain.api_key import Caller, Credential
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.orders import OrderReport, Reported, order_lock
from reviewinvite_core.domain.provenance import Provenance, Source
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import ORDER, Admitted, NotAdmitted, admit_all, credential_locks
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.schedule import NewOrder, schedule_invitations

OrderAnswer: TypeAlias = Reported | NotAdmitted | Invalid


def order_locks(caller: Credential, report: OrderReport | Invalid) -> frozenset[int]:
    """Return the locks of the key's limit and of the order."""
    locks = credential_locks(caller)
    return locks if isinstance(report, Invalid) else locks | {order_lock(report)}


def report_orders(
    ctx: UnitContext, requests: Sequence[tuple[Credential, OrderReport | Invalid]]
) -> Sequence[OrderAnswer]:
    """Return the answer to each request; no two share a key or an order (`ports.Batchable`)."""
    admitted = admit_all(ctx, [caller for caller, _ in requests], ORDER)
    orders = [
        NewOrder(each.shop, report, Provenance(source=source_of(caller), key_id=each.key_id))
        for each, (caller, report) in zip(admitted, requests, strict=True)
        if isinstance(each, Admitted) and isinstance(report, OrderReport)
    ]
    reported = iter(schedule_invitations(ctx, orders))

    def answer(each: Admitted | NotAdmitted, report: OrderReport | Invalid) -> OrderAnswer:
        if not isinstance(each, Admitted):
            return each
        return report if isinstance(report, Invalid) else next(reported)

    return [answer(each, report) for each, (_, report) in zip(admitted, requests, strict=True)]


def source_of(caller: Credential) -> Source:
    """Return the source of what a caller reports: a member's is the dashboard, and a shop's own program's the API."""
    if isinstance(caller, Caller) and caller.member_id is not None:
        return Source.DASHBOARD
    return Source.OPERATOR if isinstance(caller, Caller) and caller.operator else Source.API


@write(locks=order_locks, batch=report_orders)
def report_order(ctx: UnitContext, caller: Credential, report: OrderReport | Invalid) -> OrderAnswer:
    """Schedule the order's invitation, or return the existing one. Invalid bodies still count against the limit."""
    return report_orders(ctx, [(caller, report)])[0]
