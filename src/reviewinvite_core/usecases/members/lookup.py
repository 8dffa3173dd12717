"""Find a shop's member, and protect its last owner. Spec: §10.1."""

from __future__ import annotations

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import LastOwner, MemberUnknown
from reviewinvite_core.domain.members import Member, Role, role_lock
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.api_keys.admission import acting_locks
from reviewinvite_core.usecases.context import UnitContext


def role_locks(acting: str | Caller, member_id: str, *_: object) -> frozenset[int]:
    """Return the locks of a change of roles: the member whom it concerns does nothing meanwhile."""
    return acting_locks(acting) | {role_lock(member_id)}


def member_of(ctx: UnitContext, shop: Shop, member_id: str) -> tuple[Member, Role] | MemberUnknown:
    """Return a shop's member and that person's role; a member of other shops only is unknown."""
    found = (each for each in ctx.store.members.of_shop(shop.number) if each[0].member_id == member_id)
    return next(found, None) or MemberUnknown()


def last_owner(ctx: UnitContext, shop: Shop, member_id: str) -> LastOwner | None:
    """Return the refusal if the shop has no other owner than this member."""
    owners = [member.member_id for member, role in ctx.store.members.of_shop(shop.number) if role is Role.OWNER]
    return LastOwner(member_id) if owners == [member_id] else None
