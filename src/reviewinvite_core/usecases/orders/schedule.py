"""Schedule the invitations of reported orders; the first report of an order wins. Spec: §1, §2, ADR-4."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    Invitation,
)
from reviewinvite_core.domain.orders import OrderReport, Reported, address_hash, dedup_key
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import cut_to_millisecond
from reviewinvite_core.usecases.context import UnitContext


def schedule_invitations(
    ctx: UnitContext, orders: Sequence[tuple[Shop, OrderReport]], *, by_snippet: bool = False
) -> Sequence[Reported]:
    """Return the invitations of the reported orders, scheduling those that are new; the first report wins (ADR-4).

    `by_snippet` is whether browsers reported the orders; new invitations record it.

    A shop that sends an empty order number is noted: orders of its customers may be merged without its knowledge.

    If the customer has opted out, nothing is sent, and not even the address is stored (ADR-16).
    """
    for shop, report in orders:
        if report.order_number == "":
            ctx.note_empty_number(shop.site_id, ctx.now)
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
    stored = ctx.store.invitations.schedule(new)
    return [_reported(ctx, mine, stored) for (mine, _), stored in zip(new, stored, strict=True)]


def _invitation(
    ctx: UnitContext, shop: Shop, report: OrderReport, hashed: bytes, *, suppressed: bool, by_snippet: bool
) -> Invitation:
    reported_at = cut_to_millisecond(ctx.now)
    scheduled_for = (report.delay or shop.delay).after(reported_at)
    entropy = ctx.entropy.draw(10 + NONCE_BYTES)
    return Invitation(
        invite_id=uuid7(reported_at, entropy[:10]),
        shop_number=shop.number,
        order_number=report.order_number or None,
        language=report.language or shop.language,
        address_hash=hashed,
        sealed_address=None if suppressed else ctx.ring.seal_address(report.email, entropy[10:]),
        reported_at=reported_at,
        scheduled_for=scheduled_for,
        due_at=scheduled_for,
        changed_at=reported_at,
        by_snippet=by_snippet,
    )


def _reported(ctx: UnitContext, mine: Invitation, stored: Invitation) -> Reported:
    """Return the answer to a report; a stored invitation without an address belongs to a customer who opted out."""
    duplicate = stored.invite_id != mine.invite_id
    if mine.sealed_address is None and not duplicate:
        ctx.store.invitations.change(mine, mine.moved(State.SUPPRESSED, Reason.OPTED_OUT, mine.reported_at))
    return Reported(invite_id=stored.invite_id, scheduled_for=stored.scheduled_for, duplicate=duplicate)
