"""Keep the log of what was changed at each shop, notify owners, and limit how often. Spec: §8, §10.2, ADR-57.

The activity log is what the limits count, so they are as exact as it is: an entry is stored together with what was
done, or neither is.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from reviewinvite_core.domain.activity import ADDITIONS_PER_ADDRESS, NOTICES_PER_SHOP, Action, Activity, first_id_at
from reviewinvite_core.domain.actor import ActorKind, ActorRef, ref_of
from reviewinvite_core.domain.api_key import Actor, ApiKey, Credential, Operator, SecretKey
from reviewinvite_core.domain.identifiers import uuid7, uuid7_after
from reviewinvite_core.domain.members import Member, Role
from reviewinvite_core.domain.notices import NewNotice, NoticeKind
from reviewinvite_core.domain.refusals import LimitReached
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.notices import queue_notice


def refusal_to_mail(ctx: UnitContext, shop: Shop, by: ActorRef, *, added: Member | None = None) -> LimitReached | None:
    """Return the refusal if members of the shop have mailed others too often, or somebody `added` at all shops.

    Only what members do is limited, and only that counts. If both limits are used up, the later time counts.
    """
    if by.kind is not ActorKind.MEMBER:
        return None
    log, limit = ctx.store.activity, NOTICES_PER_SHOP
    span = {"after": ctx.now - limit.window, "until": ctx.now + limit.window}
    refusals = [limit.refusal(log.nth_newest_notice(shop.number, limit.count, **span), ctx.now)]
    if added:
        limit = ADDITIONS_PER_ADDRESS
        refusals.append(limit.refusal(log.nth_newest_addition(added.member_id, limit.count, **span), ctx.now))
    return max(filter(None, refusals), key=lambda refusal: refusal.retry_at, default=None)


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


def notify_of_key(ctx: UnitContext, shop: Shop, kind: NoticeKind, key: ApiKey, by: ActorRef) -> None:
    """Queue a notice to all owners of what is done now to a key of the shop."""
    values = {
        "shop": shop.name,
        "label": key.label,
        "last_four": key.last_four,
        "by": name_of(ctx, by),
        "link": section_url(ctx, shop, "integrations"),
    }
    notify_owners(ctx, shop, kind, values)


def name_of(ctx: UnitContext, by: ActorRef) -> str:
    """Return who acted as a notice names it: a member's address, a key's label; empty for the operator.

    Whoever is not known is named by the id: an embedding application may have members of its own.
    """
    if by.id is None:
        return ""
    if by.kind is ActorKind.MEMBER:
        member = ctx.store.members.by_ids([by.id]).get(by.id)
        return ctx.ring.open_address(member.sealed_address).text if member else by.id
    key = ctx.store.api_keys.by_id(by.id)
    return (key.label or f"…{key.last_four}") if key else by.id


def section_url(ctx: UnitContext, shop: Shop, section: str) -> str:
    """Return the address of a section of the shop's dashboard."""
    return f"{ctx.policies.dashboard_url}/dashboard/{shop.site_id.segment}/{section}"


MILLISECOND = timedelta(milliseconds=1)
_MOST_OF_MILLISECOND = 1000


def who_acts(ctx: UnitContext, actor: str | Actor | Credential | Operator) -> ActorRef:
    """Return who acts, as the activity log names it; a key is known by its id."""
    if not isinstance(actor, SecretKey):
        return ref_of(actor)
    api_key, _ = ctx.store.api_keys.holders([actor.hash])[actor.hash]
    return ActorRef(ActorKind.API_KEY, api_key.key_id)


def record(ctx: UnitContext, shop: Shop, by: ActorRef, action: Action, subject: str = "") -> None:
    """Add an entry to the shop's activity log, in the unit of work that makes the change.

    `subject` names what was changed, and never holds a customer's address.
    """
    ctx.store.activity.add(
        Activity(
            activity_id=_next_id(ctx, shop),
            shop_number=shop.number,
            at=ctx.now,
            actor=by,
            action=action,
            subject=subject,
        )
    )


def who_did(ctx: UnitContext, shop: Shop, action: Action, subject: str, at: datetime) -> ActorRef | None:
    """Return who did this at that instant, or None if the activity log does not say: entries are deleted in time."""
    end = first_id_at(at + MILLISECOND)
    entries = ctx.store.activity.newest(shop.number, after=end, since=at, limit=_MOST_OF_MILLISECOND)
    return next((each.actor for each in entries if (each.at, each.action, each.subject) == (at, action, subject)), None)


def _next_id(ctx: UnitContext, shop: Shop) -> str:
    """Return the id of a new entry, which orders it behind all that the shop has of the same millisecond."""
    entropy, end = ctx.entropy.draw(10), first_id_at(ctx.now + MILLISECOND)
    latest = ctx.store.activity.newest(shop.number, after=end, since=ctx.now, limit=1)
    return uuid7_after(latest[0].activity_id, entropy) if latest else uuid7(ctx.now, entropy)
