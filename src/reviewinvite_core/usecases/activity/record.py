"""Record who changed what at a shop. Spec: §10."""

from __future__ import annotations

from datetime import datetime, timedelta

from reviewinvite_core.domain.activity import Action, Activity, first_id_at
from reviewinvite_core.domain.actor import Acting, Actor, ActorKind, actor_of
from reviewinvite_core.domain.api_key import Operator, SecretKey
from reviewinvite_core.domain.identifiers import uuid7, uuid7_after
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext

MILLISECOND = timedelta(milliseconds=1)
_MOST_OF_MILLISECOND = 1000


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


def who_did(ctx: UnitContext, shop: Shop, action: Action, subject: str, at: datetime) -> Actor | None:
    """Return who did this at that instant, or None if the activity log does not say: entries are deleted in time."""
    end = first_id_at(at + MILLISECOND)
    entries = ctx.store.activity.newest(shop.number, after=end, since=at, limit=_MOST_OF_MILLISECOND)
    return next((each.actor for each in entries if (each.at, each.action, each.subject) == (at, action, subject)), None)


def _next_id(ctx: UnitContext, shop: Shop) -> str:
    """Return the id of a new entry, which orders it behind all that the shop has of the same millisecond."""
    entropy, end = ctx.entropy.draw(10), first_id_at(ctx.now + MILLISECOND)
    latest = ctx.store.activity.newest(shop.number, after=end, since=ctx.now, limit=1)
    return uuid7_after(latest[0].activity_id, entropy) if latest else uuid7(ctx.now, entropy)
