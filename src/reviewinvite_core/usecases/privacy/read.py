"""Export what is stored about an address, and list suppressions. Spec: §6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose, read_token
from reviewinvite_core.domain.members import Role
from reviewinvite_core.domain.messages import ServiceMessage
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.read import InvitationRecord
from reviewinvite_core.usecases.reviews.read import ReviewRecord


@attrs.frozen(kw_only=True)
class SuppressionRecord:
    """A suppression and its shop (None: all shops); `stopped` is the number of invitations that it suppressed."""

    suppression: Suppression
    shop: Shop | None
    stopped: int = 0


def address_hash_of(ctx: UnitContext, email: str) -> bytes:
    return address_hash(ctx.ring.address, EmailAddress.parse(email))


def shop_for(ctx: UnitContext, site_id: str | None) -> Shop | ShopUnknown | None:
    return None if site_id is None else ctx.store.shops.by_site_id(site_id) or ShopUnknown(site_id)


@read
def list_suppressions(ctx: UnitContext, limit: int, before: Bookmark | None = None) -> Sequence[SuppressionRecord]:
    """Return up to `limit` suppressions that have not expired, newest first, after `before` if given."""
    shops = {shop.number: shop for shop in ctx.store.shops.every()}
    newest = ctx.store.suppressions.newest(limit, ctx.now, before)
    return [SuppressionRecord(suppression=each, shop=shops.get(each.shop_number or 0)) for each in newest]


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


@read
def show_subscription(ctx: UnitContext, token: str) -> Subscription | None:
    """Return what the link's page shows, or None if the token is not ours."""
    found = invitation_of_link(ctx, token)
    return subscription_of(ctx, *found) if found else None


@attrs.frozen(kw_only=True)
class HeldSession:
    """A session of a member, and the device on which it began."""

    device: str
    signed_in_at: datetime
    last_seen_at: datetime
    ended_at: datetime | None


@attrs.frozen(kw_only=True)
class HeldMember:
    """What is stored of a person as a member; `roles` are those at each shop, by site id."""

    member_id: str
    language: Language
    created_at: datetime
    signed_in_at: datetime | None
    left_at: datetime | None
    roles: Mapping[str, Role]
    sessions: Sequence[HeldSession]


@attrs.frozen(kw_only=True)
class HeldAddress:
    """Everything stored about an address.

    Invitations and reviews come oldest first with histories; then suppressions, and the messages to it, oldest first.
    `member` is what is stored of the person as a member, if it is one or was.
    """

    invitations: Sequence[InvitationRecord]
    suppressions: Sequence[SuppressionRecord]
    reviews: Sequence[ReviewRecord] = ()
    messages: Sequence[ServiceMessage] = ()
    member: HeldMember | None = None


@read
def export_address(ctx: UnitContext, email: str) -> HeldAddress:
    """Return what is stored about this address at every shop, even after its erasure.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash(ctx.ring.address, EmailAddress.parse(email))
    shops = {shop.number: shop for shop in ctx.store.shops.every()}
    found = sorted(
        ctx.store.invitations.of_address(hashed, shop_number=None), key=lambda each: (each.reported_at, each.invite_id)
    )
    written = [(each, ctx.store.reviews.of_invitation(each.shop_number, each.invite_id)) for each in found]
    return HeldAddress(
        invitations=[
            InvitationRecord(invitation=each, shop=shops[each.shop_number], history=ctx.store.invitations.history(each))
            for each in found
        ],
        suppressions=[
            SuppressionRecord(suppression=each, shop=shops.get(each.shop_number or 0))
            for each in ctx.store.suppressions.of_address(hashed)
        ],
        reviews=[
            ReviewRecord(
                review=review,
                shop=shops[review.shop_number],
                order_number=invitation.order_number,
                history=ctx.store.reviews.history(review),
            )
            for invitation, review in written
            if review
        ],
        messages=ctx.store.messages.of_address(hashed),
        member=_member(ctx, hashed),
    )


def _member(ctx: UnitContext, hashed: bytes) -> HeldMember | None:
    member = ctx.store.members.by_address(hashed)
    if member is None:
        return None
    return HeldMember(
        member_id=member.member_id,
        language=member.language,
        created_at=member.created_at,
        signed_in_at=member.signed_in_at,
        left_at=member.left_at,
        roles={shop.site_id.text: membership.role for shop, membership in ctx.store.members.shops_of(member.member_id)},
        sessions=[
            HeldSession(
                device=each.device,
                signed_in_at=each.signed_in_at,
                last_seen_at=each.last_seen_at,
                ended_at=each.ended_at,
            )
            for each in ctx.store.sessions.of_member(member.member_id)
        ],
    )
