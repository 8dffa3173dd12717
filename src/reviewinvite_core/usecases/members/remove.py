"""Remove a member from a shop. Spec: §10.1."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import actor_of
from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ChangedMeanwhile, LastOwner, MemberUnknown, ShopUnknown
from reviewinvite_core.domain.members import Member
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record
from reviewinvite_core.usecases.api_keys.admission import RETRACTION, NotAdmitted, kept_from_keys, shop_of
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.members.lookup import last_owner, member_of, role_locks
from reviewinvite_core.usecases.members.notify import notify_of_member
from reviewinvite_core.usecases.members.records import MemberRecord, record_of
from reviewinvite_core.usecases.notices import erase_notice


@write(locks=role_locks)
def remove_member(
    ctx: UnitContext, acting: str | Caller, member_id: str, seen: str | None = None
) -> MemberRecord | MemberUnknown | ChangedMeanwhile | LastOwner | ShopUnknown | NotAdmitted:
    """End a membership, from that person's next request on; return who it was.

    A member whose role is no longer the one that was `seen` stays. The owners are notified, and that person, to whom
    nothing else about the shop is mailed any more. The sessions and links of a person without any other shop end, too.
    """
    shop = kept_from_keys(acting) or shop_of(ctx, acting, RETRACTION)
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
    actor = actor_of(acting)
    record(ctx, shop, actor, Action.MEMBER_REMOVED, f"{member_id} {role}")
    is_gone = not ctx.store.members.shops_of(member_id)
    if is_gone:
        _leave_all(ctx, member)
    for notice in ctx.store.notices.of_address(member.address_hash):
        is_about_removal = notice.kind is NoticeKind.MEMBER_REMOVED
        if not is_about_removal and (is_gone or notice.shop_number == shop.number):
            erase_notice(ctx, notice)
    notify_of_member(ctx, shop, NoticeKind.MEMBER_REMOVED, member, actor, {})
    return record_of(ctx, member, role)


def _leave_all(ctx: UnitContext, member: Member) -> None:
    """End all that a person without a shop could sign in with; the activity logs still name that person for a year."""
    ctx.store.members.change(attrs.evolve(member, left_at=ctx.now))
    ctx.store.sessions.remove_all(member.member_id)
    ctx.store.sign_in_links.withdraw(member.member_id)
