"""Change a shop's settings."""

from __future__ import annotations

from reviewinvite_core.domain.actor import Acting, Actor, ActorKind
from reviewinvite_core.domain.errors import ChangedMeanwhile, Invalid, Problem, ShopUnknown, SignatureUnseen
from reviewinvite_core.domain.shop import Shop, ShopChanges
from reviewinvite_core.domain.snippets import SnippetMode
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.limit import refusal_to_mail
from reviewinvite_core.usecases.activity.record import who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, acting_locks, shop_of
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.shops.record_changes import record_changes


@write(locks=acting_locks)
def set_shop(
    ctx: UnitContext, acting: Acting, changes: ShopChanges | Invalid, seen: Shop | None = None
) -> Shop | ShopUnknown | NotAdmitted | Invalid | ChangedMeanwhile | SignatureUnseen:
    """Update the given fields of a shop, unless one of them was changed since it was `seen`.

    Scheduled invitations keep their time and language.

    An inactive shop's reports are refused, and its invitations wait until it is active again. A new name waits for the
    operator, unless it is the operator's, if the shop has the trust mark, or the name reads as a host of others. A key
    changes no name and no address for replies, and does not activate the shop. Signed reports only can be chosen once
    a valid signature came: otherwise the shop would lose all orders of its pages.
    """
    shop = shop_of(ctx, acting, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(changes, Invalid):
        return changes
    actor = who_acts(ctx, acting)
    if actor.kind is ActorKind.API_KEY and changes.kept_from_programs:
        return Invalid(Problem.UNKNOWN_FIELD, changes.kept_from_programs)
    if seen and changes.conflicts(shop, seen):
        return ChangedMeanwhile()
    if changes.snippet is SnippetMode.SIGNED is not shop.snippet and shop.snippet_signed_at is None:
        return SignatureUnseen()
    changed = changes.applied_to(shop, approved=_is_approved(ctx, actor, shop, changes.name))
    if changed.reply_to != shop.reply_to and (refusal := refusal_to_mail(ctx, shop, actor)):
        return refusal
    ctx.store.shops.change(changed)
    record_changes(ctx, actor, shop, changed)
    return changed


def _is_approved(ctx: UnitContext, actor: Actor, shop: Shop, name: str | None) -> bool:
    if name is None or actor.kind is ActorKind.OPERATOR:
        return True
    return shop.may_be_called(name, ctx.store.domains.verified_of([shop.number]).get(shop.number, ()))
