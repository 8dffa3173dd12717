"""A merchant's reply to a review; a later reply replaces the first. Spec: §3, ADR-27."""

from __future__ import annotations

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ReviewStateConflict, ReviewUnknown, ShopInactive
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.reviews import Act, NewReply
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.list_changes import as_shop_sees_it
from reviewinvite_core.usecases.reviews.records import ReviewRecord, record_of
from reviewinvite_core.usecases.reviews.store import review_locks, save_review


@write(locks=review_locks)
def answer_review(
    ctx: UnitContext, caller: Caller, review_id: str, reply: NewReply
) -> ReviewRecord | ReviewUnknown | ReviewStateConflict | ShopInactive:
    """Reply to a published review of the caller's shop; an empty reply removes it, even from a hidden review.

    Repeating it changes nothing.
    """
    shop = ctx.store.shops.by_number(caller.shop_number)
    if shop is None or not shop.active:
        return ShopInactive()
    known = parse_uuid(review_id)
    review = ctx.store.reviews.find(shop.number, known) if known else None
    if review is None:
        return ReviewUnknown(review_id)
    if (review.reply.text if review.reply else None) != reply.text:
        if not review.can_move(review.state, Act.REPLIED if reply.text else Act.REPLY_REMOVED):
            return ReviewStateConflict(review.state)
        review = save_review(ctx, review, review.replied(reply.text, ctx.now))
    return record_of(ctx, as_shop_sees_it(review), shop)
