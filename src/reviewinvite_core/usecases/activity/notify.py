"""Notify the owners of a shop, and members whom something concerns. Spec: §6, §10.6."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from reviewinvite_core.domain.actor import Actor, ActorKind
from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.members import Member, Role
from reviewinvite_core.domain.notices import NewNotice, NoticeKind
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.notices import queue_notice

VALID_FOR = timedelta(days=3)


def notify_owners(
    ctx: UnitContext, shop: Shop, kind: NoticeKind, values: Mapping[str, str], *, but: str | None = None
) -> None:
    """Queue a notice of what is done now to all owners of the shop, except for the member `but`."""
    for member, role in ctx.store.members.of_shop(shop.number):
        if role is Role.OWNER and member.member_id != but:
            notify_member(ctx, shop, kind, values, member)


def notify_member(ctx: UnitContext, shop: Shop, kind: NoticeKind, values: Mapping[str, str], member: Member) -> None:
    """Queue a notice of what is done now to this person, in the person's language."""
    queue_notice(
        ctx,
        NewNotice(
            kind=kind,
            recipient=ctx.ring.open_address(member.sealed_address),
            language=member.language,
            values={**values, "when": ctx.now.isoformat()},
            expires_at=ctx.now + VALID_FOR,
            shop_number=shop.number,
        ),
    )


def notify_of_key(ctx: UnitContext, shop: Shop, kind: NoticeKind, key: ApiKey, actor: Actor) -> None:
    """Queue a notice to all owners of what is done now to a key of the shop."""
    values = {
        "shop": shop.name,
        "label": key.label,
        "last_four": key.last_four,
        "by": name_of(ctx, actor),
        "link": section_url(ctx, shop, "integrations"),
    }
    notify_owners(ctx, shop, kind, values)


def name_of(ctx: UnitContext, actor: Actor) -> str:
    """Return who acted as a notice names it: a member's address, a key's label; empty for the operator.

    Whoever is not known is named by the id: an embedding application may have members of its own.
    """
    if actor.id is None:
        return ""
    if actor.kind is ActorKind.MEMBER:
        member = ctx.store.members.by_ids([actor.id]).get(actor.id)
        return ctx.ring.open_address(member.sealed_address).text if member else actor.id
    key = ctx.store.api_keys.by_id(actor.id)
    return (key.label or f"…{key.last_four}") if key else actor.id


def section_url(ctx: UnitContext, shop: Shop, section: str) -> str:
    """Return the address of a section of the shop's dashboard."""
    return f"{ctx.policies.dashboard_url}/dashboard/{shop.site_id.segment}/{section}"
