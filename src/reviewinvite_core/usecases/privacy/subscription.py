"""The subscription behind an unsubscribe link. Spec: §6 (Links)."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.invitations import (
    Invitation,
)
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose, read_token
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class Subscription:
    """What the page of an unsubscribe link shows: the shop, the language, and how far e-mails are already stopped."""

    shop_name: str
    language: Language
    stopped: bool
    stopped_everywhere: bool


def invitation_of_link(ctx: UnitContext, token: str) -> tuple[Invitation, Shop] | None:
    """Return the link's invitation and its shop, or None if the token is not ours."""
    place = read_token(ctx.ring.tokens, Purpose.UNSUBSCRIBE, token)
    invitation = ctx.store.invitations.find(*place) if place else None
    shop = ctx.store.shops.by_number(invitation.shop_number) if invitation else None
    return (invitation, shop) if invitation and shop else None


def subscription_of(ctx: UnitContext, invitation: Invitation, shop: Shop) -> Subscription:
    """Return the current subscription of the invitation's address to the shop."""
    suppressed_at = {each.shop_number for each in ctx.store.suppressions.of_address(invitation.address_hash)}
    return Subscription(
        shop_name=shop.name,
        language=invitation.language,
        stopped=not suppressed_at.isdisjoint({None, shop.number}),
        stopped_everywhere=None in suppressed_at,
    )
