"""What the orders API does with one request, in the order of Spec: §4.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from reviewinvite_core.domain.api_key import ApiKey, SecretKey
from reviewinvite_core.domain.errors import Invalid, KeyRefused, LimitReached, ShopInactive
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.orders import OrderReport, Reported, order_lock
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.authentication import holders_of
from reviewinvite_core.usecases.api_keys.rate_limit import consume_rate_limit
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.schedule import schedule_invitations

OrderAnswer: TypeAlias = Reported | KeyRefused | ShopInactive | LimitReached | Invalid


def received_order_locks(key: SecretKey, report: OrderReport | Invalid) -> frozenset[int]:
    """What a request must have to itself (`ports.LockedUnit`): its key's limit, and its order."""
    return frozenset({key.lock} if isinstance(report, Invalid) else {key.lock, order_lock(report)})


def receive_orders(
    ctx: UnitContext, requests: Sequence[tuple[SecretKey, OrderReport | Invalid]]
) -> Sequence[OrderAnswer]:
    """The answers to many requests; no two of them have a key or an order in common (`ports.Batchable`)."""
    shops = _admitted(ctx, [key for key, _ in requests])
    asked = [(shop, report) for shop, (_, report) in zip(shops, requests, strict=True)]
    orders = [(shop, report) for shop, report in asked if isinstance(shop, Shop) and isinstance(report, OrderReport)]
    reported = iter(schedule_invitations(ctx, orders))

    def answer(shop: Shop | KeyRefused | ShopInactive | LimitReached, report: OrderReport | Invalid) -> OrderAnswer:
        if not isinstance(shop, Shop):
            return shop
        return report if isinstance(report, Invalid) else next(reported)

    return [answer(shop, report) for shop, report in asked]


@write(locks=received_order_locks, batch=receive_orders)
def receive_order(ctx: UnitContext, key: SecretKey, report: OrderReport | Invalid) -> OrderAnswer:
    """Authenticate, check the shop, take from the key's limit, then report; a bad body still takes from the limit."""
    return receive_orders(ctx, [(key, report)])[0]


def _admitted(ctx: UnitContext, keys: Sequence[SecretKey]) -> Sequence[Shop | KeyRefused | ShopInactive | LimitReached]:
    """For each key the shop that it acts for, with one taken from the key's limit; or why not."""
    accounts = [_account(holder) for holder in holders_of(ctx, keys)]
    limit_keys = [account[1] for account in accounts if isinstance(account, tuple)]
    refused = consume_rate_limit(ctx, ctx.policies.orders_per_minute, limit_keys)
    return [refused.get(account[1], account[0]) if isinstance(account, tuple) else account for account in accounts]


def _account(holder: tuple[ApiKey, Shop] | KeyRefused) -> tuple[Shop, LimitKey] | KeyRefused | ShopInactive:
    if isinstance(holder, KeyRefused):
        return holder
    api_key, shop = holder
    return (shop, LimitKey(shop.number, f"orders:{api_key.key_id}")) if shop.active else ShopInactive()
