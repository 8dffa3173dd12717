"""A customer opts out by the link in an invitation. Spec: §6 (Links, Suppression), ADR-16."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.invitations import Invitation, Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose, read_token
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy, Suppression
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed


@attrs.frozen(kw_only=True)
class Subscription:
    """What a customer who follows the link is to see: the shop, the invitation's language, and what stands already."""

    shop_name: str
    language: Language
    stopped: bool
    stopped_everywhere: bool


def locks(token: str, _: Reach) -> frozenset[int]:
    """What opting out must have to itself (`ports.LockedUnit`): its link.

    It shares no lock with orders, whose address it does not know. An order that is reported at the same instant may
    be scheduled, and is stopped at the fence.
    """
    return frozenset({lock_id(LockKind.LINK, token)})


@read
def show_subscription(ctx: UnitContext, token: str) -> Subscription | None:
    """What the link's page has to say; None if the token is none of ours. Changes nothing."""
    found = _read(ctx, token)
    return _subscription(ctx, *found) if found else None


@write(locks=locks)
def unsubscribe(ctx: UnitContext, token: str, reach: Reach) -> Subscription | None:
    """Write no more to the address, for the link's shop or for all; None if the token is none of ours.

    What still waits for the address is suppressed. The link works for ever, also when the address has been erased.
    Whoever follows it has got the invitation: one that was `uncertain` has arrived.
    """
    found = _read(ctx, token)
    if found is None:
        return None
    invitation, shop = found
    shop_number = None if reach is Reach.EVERY_SHOP else shop.number
    suppression = Suppression(
        address_hash=invitation.address_hash,
        shop_number=shop_number,
        by=SuppressedBy.CUSTOMER,
        suppressed_at=ctx.now,
    )
    ctx.store.suppressions.add(suppression)
    stop_waiting(ctx, invitation.address_hash, shop_number)
    transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED)
    return _subscription(ctx, invitation, shop)


def stop_waiting(ctx: UnitContext, address_hash: bytes, shop_number: int | None) -> int:
    """Suppress what still waits for the address, at one shop or (None) at all; how many invitations."""
    waiting = ctx.store.invitations.of_address(address_hash, shop_number=shop_number)
    moved = [(each, transition_if_allowed(ctx, each, State.SUPPRESSED, Reason.OPTED_OUT)) for each in waiting]
    return sum(before.state is not after.state is State.SUPPRESSED for before, after in moved)


def _read(ctx: UnitContext, token: str) -> tuple[Invitation, Shop] | None:
    place = read_token(ctx.ring.tokens, Purpose.UNSUBSCRIBE, token)
    invitation = ctx.store.invitations.find(*place) if place else None
    shop = ctx.store.shops.by_number(invitation.shop_number) if invitation else None
    return (invitation, shop) if invitation and shop else None


def _subscription(ctx: UnitContext, invitation: Invitation, shop: Shop) -> Subscription:
    suppressed_at = {each.shop_number for each in ctx.store.suppressions.of_address(invitation.address_hash)}
    return Subscription(
        shop_name=shop.name,
        language=invitation.language,
        stopped=not suppressed_at.isdisjoint({None, shop.number}),
        stopped_everywhere=None in suppressed_at,
    )
