"""An order was completed: schedule its one invitation. Spec: §1, §2."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ShopInactive
from reviewinvite_core.domain.invitations import Invitation, Reason, State, invite_id
from reviewinvite_core.domain.orders import OrderReport, address_hash, dedup_key, order_lock
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import cut_to_millisecond
from reviewinvite_core.usecases.work import Work


@attrs.frozen(kw_only=True)
class Reported:
    """The invitation of a reported order; `duplicate` where the order was known. Spec: §2."""

    invite_id: str
    scheduled_for: datetime
    duplicate: bool


def report_order(work: Work, caller: Caller, report: OrderReport) -> Reported | ShopInactive:
    """Schedule the order's invitation, or give the one it already has."""
    return import_orders(work, caller, [report])[0]


def import_orders(work: Work, caller: Caller, reports: Sequence[OrderReport]) -> Sequence[Reported | ShopInactive]:
    """Report many orders in one unit of work: all are kept, or none."""
    shop = work.store.shops.by_number(caller.shop_number)
    if shop is None or not shop.active:
        return [ShopInactive()] * len(reports)
    return [schedule_invitation(work, shop, report) for report in reports]


def locks(_: Caller, report: OrderReport) -> frozenset[int]:
    """What a report must have to itself (`ports.Locking`): its order."""
    return frozenset({order_lock(report)})


def import_locks(_: Caller, reports: Sequence[OrderReport]) -> frozenset[int]:
    """What many reports must have to themselves (`ports.Locking`): their orders."""
    return frozenset(order_lock(report) for report in reports)


def schedule_invitation(work: Work, shop: Shop, report: OrderReport) -> Reported:
    """The invitation of the order that `report` claims; the first report wins (ADR-4).

    Where the customer does not want to be written to, nothing is sent, and the address is not even kept (ADR-16).
    """
    reported_at = cut_to_millisecond(work.now)
    scheduled_for = (report.delay or shop.delay).after(reported_at)
    entropy = work.entropy.draw(10 + NONCE_BYTES)
    hashed = address_hash(work.ring.address, report.email)
    suppressed = work.store.suppressions.covers(shop.number, hashed)
    invitation = Invitation(
        invite_id=invite_id(reported_at, entropy[:10]),
        shop_number=shop.number,
        order_number=report.order_number,
        language=report.language or shop.language,
        address_hash=hashed,
        sealed_address=None if suppressed else work.ring.seal_address(report.email, entropy[10:]),
        reported_at=reported_at,
        scheduled_for=scheduled_for,
        due_at=scheduled_for,
        changed_at=reported_at,
    )
    standing = work.store.invitations.schedule(invitation, dedup_key(work.ring.dedup, shop.site_id, report))
    duplicate = standing.invite_id != invitation.invite_id
    if suppressed and not duplicate:
        stopped = standing.moved(State.SUPPRESSED, Reason.OPTED_OUT, reported_at)
        work.store.invitations.change(standing, stopped)
    return Reported(invite_id=standing.invite_id, scheduled_for=standing.scheduled_for, duplicate=duplicate)
