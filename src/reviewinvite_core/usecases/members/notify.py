"""Notify the owners of a shop of what is done to a member, and that person. Spec: §10.6."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_core.domain.actor import Actor
from reviewinvite_core.domain.members import Member
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.activity.notify import name_of, notify_member, notify_owners, section_url
from reviewinvite_core.usecases.context import UnitContext


def notify_of_member(
    ctx: UnitContext, shop: Shop, kind: NoticeKind, member: Member, actor: Actor, more: Mapping[str, str]
) -> None:
    """Queue a notice to the person and to all other owners; `more` is what this kind says besides."""
    values = {
        "shop": shop.name,
        "member": ctx.ring.open_address(member.sealed_address).text,
        "by": name_of(ctx, actor),
        "link": section_url(ctx, shop, "members"),
        **more,
    }
    notify_owners(ctx, shop, kind, values, but=member.member_id)
    notify_member(ctx, shop, kind, {**values, "link": section_url(ctx, shop, ""), "you": "yes"}, member)
