"""What the orders API does with one request, in the order of Spec: §4.1."""

from __future__ import annotations

from typing import TypeAlias

from reviewinvite_core.domain.api_key import SecretKey
from reviewinvite_core.domain.errors import Invalid, KeyRefused, LimitReached, ShopInactive
from reviewinvite_core.domain.limits import Subject
from reviewinvite_core.domain.orders import OrderReport, order_lock
from reviewinvite_core.usecases.authenticate import holder_of
from reviewinvite_core.usecases.report_order import Reported, schedule_invitation
from reviewinvite_core.usecases.take_from_limit import take_from_limit
from reviewinvite_core.usecases.work import Work

OrderAnswer: TypeAlias = Reported | KeyRefused | ShopInactive | LimitReached | Invalid


def locks(key: SecretKey, report: OrderReport | Invalid) -> frozenset[int]:
    """What a request must have to itself (`ports.Locking`): its key's limit, and its order."""
    of_key = int.from_bytes(key.hash[:8], "big", signed=True)
    return frozenset({of_key} if isinstance(report, Invalid) else {of_key, order_lock(report)})


def receive_order(work: Work, key: SecretKey, report: OrderReport | Invalid) -> OrderAnswer:
    """Authenticate, check the shop, take from the key's limit, then report; a bad body still takes from the limit."""
    holder = holder_of(work, key)
    if isinstance(holder, KeyRefused):
        return holder
    api_key, shop = holder
    if not shop.active:
        return ShopInactive()
    limit = work.promises.orders_per_minute
    refusal = take_from_limit(work, limit, Subject(shop.number, f"orders:{api_key.key_id}"))
    if refusal:
        return refusal
    if isinstance(report, Invalid):
        return report
    return schedule_invitation(work, shop, report)
