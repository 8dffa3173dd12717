"""Limit how often members cause e-mails to others: an address that they add need not belong to a willing person.

Spec: §8, ADR-57. The activity log is what is counted, so the limits are as exact as it is: an entry is stored together
with what was done, or neither is.
"""

from __future__ import annotations

from reviewinvite_core.domain.activity import ADDITIONS_PER_ADDRESS, NOTICES_PER_SHOP
from reviewinvite_core.domain.actor import Actor, ActorKind
from reviewinvite_core.domain.errors import LimitReached
from reviewinvite_core.domain.members import Member
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext


def refusal_to_mail(ctx: UnitContext, shop: Shop, actor: Actor, *, added: Member | None = None) -> LimitReached | None:
    """Return the refusal if members of the shop have mailed others too often, or somebody `added` at all shops.

    Only what members do is limited, and only that counts. If both limits are used up, the later time counts.
    """
    if actor.kind is not ActorKind.MEMBER:
        return None
    log, limit = ctx.store.activity, NOTICES_PER_SHOP
    span = {"after": ctx.now - limit.window, "until": ctx.now + limit.window}
    refusals = [limit.refusal(log.nth_newest_notice(shop.number, limit.count, **span), ctx.now)]
    if added:
        limit = ADDITIONS_PER_ADDRESS
        refusals.append(limit.refusal(log.nth_newest_addition(added.member_id, limit.count, **span), ctx.now))
    return max(filter(None, refusals), key=lambda refusal: refusal.retry_at, default=None)
