"""Add a member to a shop. Spec: §10.1, §10.2."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import Actor, ActorKind, actor_of
from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import MemberExists, ShopUnknown
from reviewinvite_core.domain.members import MEMBER_ID_BYTES, Member, Membership, NewMember
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.sign_in import LinkKind
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.limit import refusal_to_mail
from reviewinvite_core.usecases.activity.notify import name_of, notify_owners, section_url
from reviewinvite_core.usecases.activity.record import record
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, kept_from_keys, shop_of
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.members.records import MemberRecord, record_of
from reviewinvite_core.usecases.sign_in.links import make_link
from reviewinvite_core.usecases.sign_in.mail import mail_link


@attrs.frozen(kw_only=True)
class AddedMember:
    """A new member of a shop; `link` signs that person in, and is None unless the operator or an embedder asked."""

    member: MemberRecord
    link: str | None = attrs.field(repr=False)


@write()
def add_member(
    ctx: UnitContext, acting: str | Caller, new: NewMember
) -> AddedMember | MemberExists | ShopUnknown | NotAdmitted:
    """Make a person a member of a shop, and mail a link by which that person signs in.

    A person who is a member of another shop is the same member here. Only the person gets the link: another member
    could otherwise sign in as that person, at every shop. How often members may add somebody is limited.
    """
    shop = kept_from_keys(acting) or shop_of(ctx, acting, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    known, actor = ctx.store.members.by_address(address_hash(ctx.ring.address, new.email)), actor_of(acting)
    if known and any(each.member_id == known.member_id for each, _ in ctx.store.members.of_shop(shop.number)):
        return MemberExists(known.member_id)
    refusal = refusal_to_mail(ctx, shop, actor, added=known)
    if refusal:
        return refusal
    member = _back(ctx, known, new) if known else _unknown(ctx, shop, new)
    ctx.store.members.join(Membership(member_id=member.member_id, shop_number=shop.number, role=new.role))
    record(ctx, shop, actor, Action.MEMBER_ADDED, f"{member.member_id} {new.role}")
    link = make_link(ctx, member, LinkKind.HANDED_OUT if member.signed_in_at else LinkKind.WELCOME)
    mail_link(ctx, member, link, welcome_to=shop)
    _notify_owners(ctx, shop, actor, member, new)
    return AddedMember(
        member=record_of(ctx, member, new.role), link=link.url if actor.kind is ActorKind.OPERATOR else None
    )


def _back(ctx: UnitContext, member: Member, new: NewMember) -> Member:
    """Return a known person; who had left every shop starts over."""
    if member.left_at is None:
        return member
    returned = attrs.evolve(member, left_at=None, signed_in_at=None, language=new.language or member.language)
    ctx.store.members.change(returned)
    return returned


def _unknown(ctx: UnitContext, shop: Shop, new: NewMember) -> Member:
    """Return a new person, stored."""
    member = Member(
        member_id=f"mem_{ctx.entropy.draw(MEMBER_ID_BYTES).hex()}",
        address_hash=address_hash(ctx.ring.address, new.email),
        sealed_address=ctx.ring.seal_address(new.email, ctx.entropy.draw(NONCE_BYTES)),
        language=new.language or shop.language,
        created_at=ctx.now,
    )
    ctx.store.members.add(member)
    return member


def _notify_owners(ctx: UnitContext, shop: Shop, actor: Actor, member: Member, new: NewMember) -> None:
    values = {
        "shop": shop.name,
        "added": new.email.text,
        "role": new.role.value,
        "by": name_of(ctx, actor),
        "link": section_url(ctx, shop, "members"),
    }
    notify_owners(ctx, shop, NoticeKind.MEMBER_ADDED, values, but=member.member_id)
