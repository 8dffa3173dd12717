"""List the members of shops, and what was changed at each shop. Spec: §10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.domain.activity import Action, Activity, ActivityQuery
from reviewinvite_core.domain.actor import ActorKind, ActorRef
from reviewinvite_core.domain.api_key import Actor
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.members import Member, Role
from reviewinvite_core.domain.refusals import KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.admission import kept_from_keys, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class MemberRecord:
    """A member of a shop; `signed_in_at` is the latest sign-in, or None."""

    member_id: str
    email: str = attrs.field(repr=False)
    role: Role
    language: Language
    created_at: datetime
    signed_in_at: datetime | None


def record_of(ctx: UnitContext, member: Member, role: Role) -> MemberRecord:
    """Return a member of a shop with the address in clear."""
    return MemberRecord(
        member_id=member.member_id,
        email=ctx.ring.open_address(member.sealed_address).text,
        role=role,
        language=member.language,
        created_at=member.created_at,
        signed_in_at=member.signed_in_at,
    )


@read
def list_members(
    ctx: UnitContext, actor: str | Actor
) -> Sequence[MemberRecord] | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's members, the one that was created first first; no key lists them."""
    shop = kept_from_keys(actor) or shop_of_reader(ctx, actor)
    if not isinstance(shop, Shop):
        return shop
    return [record_of(ctx, member, role) for member, role in ctx.store.members.of_shop(shop.number)]


@attrs.frozen(kw_only=True)
class ActivityRecord:
    """An entry of an activity log, with the names of those whom it is about.

    `member_email` is the address of the member who acted, `key_label` the label of the API key. The subject of an entry
    about a member is that person's address, and `role` the role. A person who is no longer known has no address here.
    `order_number` is that of the order which an invitation or a review is about, if it has one.
    """

    activity_id: str
    at: datetime
    actor: ActorRef
    action: Action
    subject: str
    member_email: str | None = attrs.field(default=None, repr=False)
    key_label: str | None = None
    role: Role | None = None
    order_number: str | None = None


@attrs.frozen(kw_only=True)
class ActivityPage:
    """A page of an activity log, newest first; `next` is the cursor of the next page, or None."""

    entries: Sequence[ActivityRecord]
    next: str | None


@read
def list_activity(
    ctx: UnitContext, actor: str | Actor, query: ActivityQuery | Invalid
) -> ActivityPage | ShopUnknown | KeyRefused | LimitReached | Invalid:
    """Return a page of a shop's activity log. Ids increase with time, so new entries never appear on a later page."""
    shop = kept_from_keys(actor) or shop_of_reader(ctx, actor)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(query, Invalid):
        return query
    found = ctx.store.activity.newest(shop.number, after=query.after, since=query.since, limit=query.limit + 1)
    page = found[: query.limit]
    return ActivityPage(
        entries=_records(ctx, shop, page), next=page[-1].activity_id if page and len(found) > query.limit else None
    )


def _records(ctx: UnitContext, shop: Shop, entries: Sequence[Activity]) -> Sequence[ActivityRecord]:
    subjects = {entry.subject.partition(" ")[0] for entry in entries if entry.action.is_about_member}
    actors = {entry.actor.id for entry in entries if entry.actor.kind is ActorKind.MEMBER and entry.actor.id}
    members = ctx.store.members.by_ids(subjects | actors)
    emails = {each: ctx.ring.open_address(member.sealed_address).text for each, member in members.items()}
    labels = {key.key_id: key.label or f"…{key.last_four}" for key in ctx.store.api_keys.of_shop(shop.number)}
    numbers = _order_numbers(ctx, shop, entries)
    return [_record(entry, emails, labels, numbers) for entry in entries]


def _order_numbers(ctx: UnitContext, shop: Shop, entries: Sequence[Activity]) -> Mapping[str, str | None]:
    """Return the order number of each invitation and review that the entries are about, by its id."""
    reviews = {entry.subject for entry in entries if entry.action.is_about_review}
    invite_of = {entry.subject: entry.subject for entry in entries if entry.action.is_about_invitation}
    found_reviews = ctx.store.reviews.find_all(shop.number, reviews)
    invite_of |= {review_id: review.invite_id for review_id, review in found_reviews.items()}
    found = ctx.store.invitations.find_all({(shop.number, invite_id) for invite_id in invite_of.values()})
    numbers = {invite_id: invitation.order_number for (_, invite_id), invitation in found.items()}
    return {subject: numbers.get(invite_id) for subject, invite_id in invite_of.items()}


def _record(
    entry: Activity, emails: Mapping[str, str], labels: Mapping[str, str], numbers: Mapping[str, str | None]
) -> ActivityRecord:
    member_id, _, role = entry.subject.partition(" ") if entry.action.is_about_member else ("", "", "")
    return ActivityRecord(
        activity_id=entry.activity_id,
        at=entry.at,
        actor=entry.actor,
        action=entry.action,
        subject=emails.get(member_id, "") if member_id else entry.subject,
        member_email=emails.get(entry.actor.id or ""),
        key_label=labels.get(entry.actor.id or ""),
        role=Role(role) if role else None,
        order_number=numbers.get(entry.subject),
    )
