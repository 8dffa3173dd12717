"""An order was completed: schedule its one invitation. Spec: §1, §2."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ShopInactive
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitations import Invitation, Reason, State
from reviewinvite_core.domain.orders import OrderReport, address_hash, dedup_key, order_lock
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import cut_to_millisecond
from reviewinvite_core.usecases.context import UnitContext

MOST_LOCKS = 1_000


@attrs.frozen(kw_only=True)
class Reported:
    """The invitation of a reported order; `duplicate` where the order was known. Spec: §2."""

    invite_id: str
    scheduled_for: datetime
    duplicate: bool


def report_order(ctx: UnitContext, caller: Caller, report: OrderReport) -> Reported | ShopInactive:
    """Schedule the order's invitation, or give the one it already has."""
    return report_orders(ctx, [(caller, report)])[0]


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


def import_orders(
    ctx: UnitContext, caller: Caller, reports: Sequence[OrderReport]
) -> Sequence[Reported | ShopInactive]:
    """Report many orders in one unit of work: all are kept, or none."""
    return report_orders(ctx, [(caller, report) for report in reports])


def locks(_: Caller, report: OrderReport) -> frozenset[int]:
    """What a report must have to itself (`ports.Locking`): its order."""
    return frozenset({order_lock(report)})


def import_locks(_: Caller, reports: Sequence[OrderReport]) -> frozenset[int]:
    """What many reports must have to themselves (`ports.Locking`): their orders, if they are not too many.

    A server has room for some thousands of locks. Who would need more takes none: of two that bring the same orders,
    each is still stored once, and should the two wait for each other, one is run again (ADR-13).
    """
    return frozenset(map(order_lock, reports)) if len(reports) <= MOST_LOCKS else frozenset()


def schedule_invitations(
    ctx: UnitContext, orders: Sequence[tuple[Shop, OrderReport]], *, by_snippet: bool = False
) -> Sequence[Reported]:
    """The invitations of the orders that are claimed; of each order the first report wins (ADR-4).

    `by_snippet` is whether browsers claim them, which is noted with the new ones.

    Where the customer does not want to be written to, nothing is sent, and the address is not even kept (ADR-16).
    """
    hashes = [address_hash(ctx.ring.address, report.email) for _, report in orders]
    asked = [(shop.number, hashed) for (shop, _), hashed in zip(orders, hashes, strict=True)]
    suppressed = ctx.store.suppressions.covered(asked)
    new = [
        (
            _invitation(
                ctx, shop, report, hashed, suppressed=(shop.number, hashed) in suppressed, by_snippet=by_snippet
            ),
            dedup_key(ctx.ring.dedup, shop.site_id, report),
        )
        for (shop, report), hashed in zip(orders, hashes, strict=True)
    ]
    standing = ctx.store.invitations.schedule(new)
    return [_reported(ctx, mine, stands) for (mine, _), stands in zip(new, standing, strict=True)]


def _invitation(
    ctx: UnitContext, shop: Shop, report: OrderReport, hashed: bytes, *, suppressed: bool, by_snippet: bool
) -> Invitation:
    reported_at = cut_to_millisecond(ctx.now)
    scheduled_for = (report.delay or shop.delay).after(reported_at)
    entropy = ctx.entropy.draw(10 + NONCE_BYTES)
    return Invitation(
        invite_id=uuid7(reported_at, entropy[:10]),
        shop_number=shop.number,
        order_number=report.order_number,
        language=report.language or shop.language,
        address_hash=hashed,
        sealed_address=None if suppressed else ctx.ring.seal_address(report.email, entropy[10:]),
        reported_at=reported_at,
        scheduled_for=scheduled_for,
        due_at=scheduled_for,
        changed_at=reported_at,
        by_snippet=by_snippet,
    )


def _reported(ctx: UnitContext, mine: Invitation, stands: Invitation) -> Reported:
    """What a report is told; one without an address is for somebody who opted out."""
    duplicate = stands.invite_id != mine.invite_id
    if mine.sealed_address is None and not duplicate:
        ctx.store.invitations.change(mine, mine.moved(State.SUPPRESSED, Reason.OPTED_OUT, mine.reported_at))
    return Reported(invite_id=stands.invite_id, scheduled_for=stands.scheduled_for, duplicate=duplicate)
