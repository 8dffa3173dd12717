"""Record who changed what at a shop. Spec: §10."""

from __future__ import annotations

from datetime import timedelta

from reviewinvite_core.domain.activity import Action, Activity, first_id_at
from reviewinvite_core.domain.actor import Acting, Actor, ActorKind, actor_of
from reviewinvite_core.domain.api_key import Operator, SecretKey
from reviewinvite_core.domain.identifiers import uuid7, uuid7_after
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext

MILLISECOND = timedelta(milliseconds=1)


def who_acts(ctx: UnitContext, acting: Acting | Operator) -> Actor:
    """Return who acts, as the activity log names it; a key is known by its id."""
    if not isinstance(acting, SecretKey):
        return actor_of(acting)
    api_key, _ = ctx.store.api_keys.holders([acting.hash])[acting.hash]
    return Actor(ActorKind.API_KEY, api_key.key_id)


def record(ctx: UnitContext, shop: Shop, actor: Actor, action: Action, subject: str = "") -> None:
    """Add an entry to the shop's activity log, in the unit of work that makes the change.

    `subject` names what was changed, and never holds a customer's address.
    """
    ctx.store.activity.add(
        Activity(
            activity_id=_next_id(ctx, shop),
            shop_number=shop.number,
            at=ctx.now,
            actor=actor,
            action=action,
            subject=subject,
        )
    )


def _next_id(ctx: UnitContext, shop: Shop) -> str:
    """Return the id of a new entry, which orders it behind all that the shop has of the same millisecond."""
    entropy, end = ctx.entropy.draw(10), first_id_at(ctx.now + MILLISECOND)
    latest = ctx.store.activity.newest(shop.number, after=end, since=ctx.now, limit=1)
    return uuid7_after(latest[0].activity_id, entropy) if latest else uuid7(ctx.now, entropy)
