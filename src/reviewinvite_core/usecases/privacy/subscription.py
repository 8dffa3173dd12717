"""The subscription behind an unsubscribe link. Spec: §6 (Links)."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose, read_token
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.suppressions import SuppressedBy
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class Subscription:
    """What the page of an unsubscribe link shows: the shop, the invitation's language, and what is already stopped.

    `can_resubscribe` is whether only the customer's own opt-outs stop the shop, so that the customer can undo them.
    """

    shop_name: str
    language: Language
    stopped: bool
    stopped_everywhere: bool
    can_resubscribe: bool = False


def invitation_of_link(ctx: UnitContext, token: str) -> tuple[Invitation, Shop] | None:
    """Return the link's invitation and its shop, or None if the token is not ours."""
    place = read_token(ctx.ring.tokens, Purpose.UNSUBSCRIBE, token)
    invitation = ctx.store.invitations.find(*place) if place else None
    shop = ctx.store.shops.by_number(invitation.shop_number) if invitation else None
    return (invitation, shop) if invitation and shop else None


def subscription_of(ctx: UnitContext, invitation: Invitation, shop: Shop) -> Subscription:
    """Return what people have stopped for the invitation's address; a suppression as a dead mailbox does not count."""
    every = ctx.store.suppressions.of_address(invitation.address_hash)
    asked_for = [each for each in every if each.by is not SuppressedBy.BOUNCE]
    origins = {each.shop_number: each.by for each in asked_for if each.shop_number in (None, shop.number)}
    return Subscription(
        shop_name=shop.name,
        language=invitation.language,
        stopped=bool(origins),
        stopped_everywhere=None in origins,
        can_resubscribe=set(origins.values()) == {SuppressedBy.CUSTOMER},
    )
