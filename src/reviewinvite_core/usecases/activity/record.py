"""Record who changed what at a shop. Spec: §10."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action, Activity
from reviewinvite_core.domain.actor import Acting, Actor, ActorKind, actor_of
from reviewinvite_core.domain.api_key import Operator, SecretKey
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext


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
            activity_id=uuid7(ctx.now, ctx.entropy.draw(10)),
            shop_number=shop.number,
            at=ctx.now,
            actor=actor,
            action=action,
            subject=subject,
        )
    )
