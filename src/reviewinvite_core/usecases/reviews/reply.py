"""A merchant's reply to a review; a later reply replaces the first. Spec: §3, ADR-27."""

from __future__ import annotations

from typing import TypeAlias

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import Credential
from reviewinvite_core.domain.errors import ChangedMeanwhile, Invalid, ReviewStateConflict, ReviewUnknown
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.reviews import REVIEWS_LOCK, Act, NewReply, Review
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, admit, credential_locks
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.list_changes import as_shop_sees_it
from reviewinvite_core.usecases.reviews.records import ReviewRecord, record_of
from reviewinvite_core.usecases.reviews.store import save_review

Replied: TypeAlias = ReviewRecord | ReviewUnknown | ReviewStateConflict | ChangedMeanwhile | NotAdmitted | Invalid


def reply_locks(caller: Credential, *_: object) -> frozenset[int]:
    """Return the locks of the key's limit and of all reviews (ADR-27)."""
    return credential_locks(caller) | {REVIEWS_LOCK}


@write(locks=reply_locks)
def reply_to_review(
    ctx: UnitContext, caller: Credential, review_id: str, reply: NewReply | Invalid, seen: Review | None = None
) -> Replied:
    """Reply to a published review of the caller's shop, unless its reply was changed since it was `seen`.

    An empty text removes the reply, even of a hidden review.

    Repeating this changes nothing. An invalid reply still counts against the limit.
    """
    shop = admit(ctx, caller, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(reply, Invalid):
        return reply
    known = parse_uuid(review_id)
    review = ctx.store.reviews.find(shop.number, known) if known else None
    if review is None:
        return ReviewUnknown(review_id)
    if seen and review.reply != seen.reply:
        return ChangedMeanwhile()
    if (review.reply.text if review.reply else None) != reply.text:
        if not review.can_move(review.state, Act.REPLIED if reply.text else Act.REPLY_REMOVED):
            return ReviewStateConflict(review.state)
        review = save_review(ctx, review, review.replied(reply.text, ctx.now))
        record(ctx, shop, who_acts(ctx, caller), Action.REVIEW_REPLIED, review.review_id)
    return record_of(ctx, as_shop_sees_it(review), shop)
