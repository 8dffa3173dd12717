"""A merchant sees what became of the shop's own invitations, and withdraws one. Spec: §4.9 to §4.11, ADR-30."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import InvitationUnknown, ShopInactive, TooLate
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.invitations import (
    Invitation,
)
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.cancel import cancelled
from reviewinvite_core.usecases.invitations.records import InvitationRecord, invitation_locks


@attrs.frozen(kw_only=True)
class MerchantInvitationQuery:
    """Which of a shop's invitations: those older than `before`, of one order number or any, at most `limit`."""

    before: str | None = None
    order_number: str | None = None
    limit: int = 50


@attrs.frozen(kw_only=True)
class MerchantInvitations:
    """A page of a shop's invitations, the newest first; `next` is the id before which the next page begins."""

    invitations: Sequence[Invitation]
    next: str | None


@read
def list_merchant_invitations(ctx: UnitContext, caller: Caller, asked: MerchantInvitationQuery) -> MerchantInvitations:
    """The caller's own shop's invitations by their ids, which grow with time: what comes later is before every page."""
    found = ctx.store.invitations.of_shop(
        caller.shop_number, before=asked.before, order_number=asked.order_number, limit=asked.limit + 1
    )
    page = found[: asked.limit]
    return MerchantInvitations(invitations=page, next=page[-1].invite_id if len(found) > asked.limit else None)


@read
def get_merchant_invitation(ctx: UnitContext, caller: Caller, invite_id: str) -> InvitationRecord | InvitationUnknown:
    """One with its history; another shop's is unknown."""
    found = _own(ctx, caller, invite_id)
    return _with_history(ctx, *found) if found else InvitationUnknown(invite_id)


def merchant_invitation_locks(_: Caller, invite_id: str) -> frozenset[int]:
    """What a merchant's word about one must have to itself (`ports.LockedUnit`): that invitation."""
    return invitation_locks(invite_id)


@write(locks=merchant_invitation_locks)
def cancel_merchant_invitation(
    ctx: UnitContext, caller: Caller, invite_id: str
) -> InvitationRecord | InvitationUnknown | TooLate | ShopInactive:
    """Withdraw one that has not been handed over; the same once more changes nothing."""
    found = _own(ctx, caller, invite_id)
    shop = found[1] if found else ctx.store.shops.by_number(caller.shop_number)
    if shop is None or not shop.active:
        return ShopInactive()
    if found is None:
        return InvitationUnknown(invite_id)
    after = cancelled(ctx, found[0])
    return after if isinstance(after, TooLate) else _with_history(ctx, after, shop)


def _own(ctx: UnitContext, caller: Caller, text: str) -> tuple[Invitation, Shop] | None:
    invite_id = parse_uuid(text)
    invitation = ctx.store.invitations.find(caller.shop_number, invite_id) if invite_id else None
    shop = ctx.store.shops.by_number(caller.shop_number) if invitation else None
    return (invitation, shop) if invitation and shop else None


def _with_history(ctx: UnitContext, invitation: Invitation, shop: Shop) -> InvitationRecord:
    return InvitationRecord(invitation=invitation, shop=shop, history=ctx.store.invitations.history(invitation))
