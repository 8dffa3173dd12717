"""Change a member's role at a shop. Spec: §10.1."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import actor_of
from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ChangedMeanwhile, LastOwner, MemberUnknown, ShopUnknown
from reviewinvite_core.domain.members import Membership, Role
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.limit import refusal_to_mail
from reviewinvite_core.usecases.activity.record import record
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, kept_from_keys, shop_of
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.members.lookup import last_owner, member_of, role_locks
from reviewinvite_core.usecases.members.notify import notify_of_member
from reviewinvite_core.usecases.members.records import MemberRecord, record_of


@write(locks=role_locks)
def set_role(
    ctx: UnitContext, acting: str | Caller, member_id: str, role: Role, seen: str | None = None
) -> MemberRecord | MemberUnknown | ChangedMeanwhile | LastOwner | ShopUnknown | NotAdmitted:
    """Give a member another role, unless it is no longer the one that was `seen`; the same role changes nothing.

    It counts from that person's next request on. The owners and that person are notified.
    """
    shop = kept_from_keys(acting) or shop_of(ctx, acting, CHANGE)
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
    actor = actor_of(acting)
    refused = refusal_to_mail(ctx, shop, actor) if role is Role.OWNER else None  # taking a role back is always possible
    if refused:
        return refused
    ctx.store.members.join(Membership(member_id=member_id, shop_number=shop.number, role=role))
    record(ctx, shop, actor, Action.MEMBER_ROLE_CHANGED, f"{member_id} {role}")
    notify_of_member(ctx, shop, NoticeKind.ROLE_CHANGED, member, actor, {"role": role.value})
    return record_of(ctx, member, role)
