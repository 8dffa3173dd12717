"""Add and remove members, change their roles, and tell them. Spec: §10.1."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import ActorKind, ActorRef, ref_of
from reviewinvite_core.domain.api_key import Actor
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.limits import HOUR
from reviewinvite_core.domain.members import MEMBER_ID_BYTES, Member, Membership, NewMember, Role, role_lock
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.policy import ACTIVITY_KEPT_FOR, DEVICE_KNOWN_FOR, FORMER_MEMBERS_KEPT_FOR
from reviewinvite_core.domain.refusals import ChangedMeanwhile, LastOwner, MemberExists, MemberUnknown, ShopUnknown
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.sign_in import LinkKind
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity import (
    name_of,
    notify_member,
    notify_owners,
    record,
    refusal_to_mail,
    section_url,
)
from reviewinvite_core.usecases.admission import CHANGE, RETRACTION, NotAdmitted, acting_locks, kept_from_keys, shop_of
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.members.read import MemberRecord, record_of
from reviewinvite_core.usecases.notices import erase_notice
from reviewinvite_core.usecases.sign_in.links import mail_link, make_link


def role_locks(actor: str | Actor, member_id: str, *_: object) -> frozenset[int]:
    """Return the locks of a change of roles: the member whom it concerns does nothing meanwhile."""
    return acting_locks(actor) | {role_lock(member_id)}


def member_of(ctx: UnitContext, shop: Shop, member_id: str) -> tuple[Member, Role] | MemberUnknown:
    """Return a shop's member and that person's role; a member of other shops only is unknown."""
    found = (each for each in ctx.store.members.of_shop(shop.number) if each[0].member_id == member_id)
    return next(found, None) or MemberUnknown()


def last_owner(ctx: UnitContext, shop: Shop, member_id: str) -> LastOwner | None:
    """Return the refusal if the shop has no other owner than this member."""
    owners = [member.member_id for member, role in ctx.store.members.of_shop(shop.number) if role is Role.OWNER]
    return LastOwner(member_id) if owners == [member_id] else None


def notify_of_member(
    ctx: UnitContext, shop: Shop, kind: NoticeKind, member: Member, by: ActorRef, more: Mapping[str, str]
) -> None:
    """Queue a notice to the person and to all other owners; `more` is what this kind says besides."""
    values = {
        "shop": shop.name,
        "member": ctx.ring.open_address(member.sealed_address).text,
        "by": name_of(ctx, by),
        "link": section_url(ctx, shop, "members"),
        **more,
    }
    notify_owners(ctx, shop, kind, values, but=member.member_id)
    notify_member(ctx, shop, kind, {**values, "link": section_url(ctx, shop, ""), "you": "yes"}, member)


@attrs.frozen(kw_only=True)
class MemberLink:
    """A link that signs a member in, and who that is."""

    member: MemberRecord
    link: str = attrs.field(repr=False)


@write()
def make_member_link(ctx: UnitContext, site_id: str, email: str) -> MemberLink | MemberUnknown | ShopUnknown:
    """Make and mail a sign-in link for a shop's member; it does not count against the limits of links.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash(ctx.ring.address, EmailAddress.parse(email))
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    for member, role in ctx.store.members.of_shop(shop.number):
        if member.address_hash == hashed:
            kind = LinkKind.HANDED_OUT if member.signed_in_at else LinkKind.WELCOME
            made = make_link(ctx, member, kind)
            mail_link(ctx, member, made)
            return MemberLink(member=record_of(ctx, member, role), link=made.url)
    return MemberUnknown()


@attrs.frozen(kw_only=True)
class AddedMember:
    """A new member of a shop; `link` signs that person in, and is None unless the operator or an embedder asked."""

    member: MemberRecord
    link: str | None = attrs.field(repr=False)


@write()
def add_member(
    ctx: UnitContext, actor: str | Actor, new: NewMember
) -> AddedMember | MemberExists | ShopUnknown | NotAdmitted:
    """Make a person a member of a shop, and mail a link by which that person signs in.

    A person who is a member of another shop is the same member here. Only the person gets the link: another member
    could otherwise sign in as that person, at every shop. How often members may add somebody is limited.
    """
    shop = kept_from_keys(actor) or shop_of(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    known, by = ctx.store.members.by_address(address_hash(ctx.ring.address, new.email)), ref_of(actor)
    if known and any(each.member_id == known.member_id for each, _ in ctx.store.members.of_shop(shop.number)):
        return MemberExists(known.member_id)
    refusal = refusal_to_mail(ctx, shop, by, added=known)
    if refusal:
        return refusal
    member = _back(ctx, known, new) if known else _unknown(ctx, shop, new)
    ctx.store.members.join(Membership(member_id=member.member_id, shop_number=shop.number, role=new.role))
    record(ctx, shop, by, Action.MEMBER_ADDED, f"{member.member_id} {new.role}")
    link = make_link(ctx, member, LinkKind.HANDED_OUT if member.signed_in_at else LinkKind.WELCOME)
    mail_link(ctx, member, link, welcome_to=shop)
    _notify_owners(ctx, shop, by, member, new)
    return AddedMember(
        member=record_of(ctx, member, new.role), link=link.url if by.kind is ActorKind.OPERATOR else None
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


def _notify_owners(ctx: UnitContext, shop: Shop, by: ActorRef, member: Member, new: NewMember) -> None:
    values = {
        "shop": shop.name,
        "added": new.email.text,
        "role": new.role.value,
        "by": name_of(ctx, by),
        "link": section_url(ctx, shop, "members"),
    }
    notify_owners(ctx, shop, NoticeKind.MEMBER_ADDED, values, but=member.member_id)


@write(locks=role_locks)
def remove_member(
    ctx: UnitContext, actor: str | Actor, member_id: str, seen: str | None = None
) -> MemberRecord | MemberUnknown | ChangedMeanwhile | LastOwner | ShopUnknown | NotAdmitted:
    """End a membership, from that person's next request on; return who it was.

    A member whose role is no longer the one that was `seen` stays. The owners are notified, and that person, to whom
    nothing else about the shop is mailed any more. The sessions and links of a person without any other shop end, too.
    """
    shop = kept_from_keys(actor) or shop_of(ctx, actor, RETRACTION)
    if not isinstance(shop, Shop):
        return shop
    found = member_of(ctx, shop, member_id)
    if isinstance(found, MemberUnknown):
        return found
    member, role = found
    if seen not in (None, role):
        return ChangedMeanwhile()
    refusal = last_owner(ctx, shop, member_id)
    if refusal:
        return refusal
    ctx.store.members.leave(shop.number, member_id)
    by = ref_of(actor)
    record(ctx, shop, by, Action.MEMBER_REMOVED, f"{member_id} {role}")
    is_gone = not ctx.store.members.shops_of(member_id)
    if is_gone:
        _leave_all(ctx, member)
    for notice in ctx.store.notices.of_address(member.address_hash):
        is_about_removal = notice.kind is NoticeKind.MEMBER_REMOVED
        if not is_about_removal and (is_gone or notice.shop_number == shop.number):
            erase_notice(ctx, notice)
    notify_of_member(ctx, shop, NoticeKind.MEMBER_REMOVED, member, by, {})
    return record_of(ctx, member, role)


def _leave_all(ctx: UnitContext, member: Member) -> None:
    """End all that a person without a shop could sign in with; the activity logs still name that person for a year."""
    ctx.store.members.change(attrs.evolve(member, left_at=ctx.now))
    ctx.store.sessions.remove_all(member.member_id)
    ctx.store.sign_in_links.withdraw(member.member_id)


@write(locks=role_locks)
def set_role(
    ctx: UnitContext, actor: str | Actor, member_id: str, role: Role, seen: str | None = None
) -> MemberRecord | MemberUnknown | ChangedMeanwhile | LastOwner | ShopUnknown | NotAdmitted:
    """Give a member another role, unless it is no longer the one that was `seen`; the same role changes nothing.

    It counts from that person's next request on. The owners and that person are notified.
    """
    shop = kept_from_keys(actor) or shop_of(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    found = member_of(ctx, shop, member_id)
    if isinstance(found, MemberUnknown):
        return found
    member, before = found
    if seen not in (None, before):
        return ChangedMeanwhile()
    if role is before:
        return record_of(ctx, member, role)
    refusal = last_owner(ctx, shop, member_id)
    if refusal:
        return refusal
    by = ref_of(actor)
    refused = refusal_to_mail(ctx, shop, by) if role is Role.OWNER else None  # taking a role back is always possible
    if refused:
        return refused
    ctx.store.members.join(Membership(member_id=member_id, shop_number=shop.number, role=role))
    record(ctx, shop, by, Action.MEMBER_ROLE_CHANGED, f"{member_id} {role}")
    notify_of_member(ctx, shop, NoticeKind.ROLE_CHANGED, member, by, {"role": role.value})
    return record_of(ctx, member, role)


MOST_AT_ONCE = 500


def sweep_members(ctx: UnitContext) -> int:
    """Delete what is out of date, at most 500 rows of each kind; return how many.

    A link that has expired still counts against the limits for an hour.
    """
    store, now = ctx.store, ctx.now
    return (
        store.sign_in_links.sweep(now - HOUR, MOST_AT_ONCE)
        + store.sessions.sweep(now - DEVICE_KNOWN_FOR, MOST_AT_ONCE)
        + store.activity.sweep(now - ACTIVITY_KEPT_FOR, MOST_AT_ONCE)
        + store.members.sweep(now - FORMER_MEMBERS_KEPT_FOR, MOST_AT_ONCE)
    )
