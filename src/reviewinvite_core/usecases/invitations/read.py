"""List and show invitations, and count what overviews show. Spec: §4.6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import ActorRef
from reviewinvite_core.domain.api_key import OPERATOR, Actor, Credential, Operator
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation, brought_forward, invitation_lock
from reviewinvite_core.domain.refusals import InvitationUnknown, KeyRefused, LimitReached, NotUncertain, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity import who_did
from reviewinvite_core.usecases.admission import admit_reader, credential_locks, is_charged
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class InvitationRecord:
    """An invitation, its shop, and its history from the first report on (empty unless requested).

    `brought_forward` names who made each change of the history by which a scheduled invitation became due at once, or
    None if the shop's activity log no longer says. `review_id` is that of the review that followed, if it was shown on
    its own; `reviewed` is whether one followed, if a list asked for that.
    """

    invitation: Invitation
    shop: Shop
    history: Sequence[Change] = ()
    brought_forward: Mapping[Change, ActorRef | None] = attrs.field(factory=dict)
    review_id: str | None = None
    reviewed: bool = False


def invitation_locks(text: str) -> frozenset[int]:
    """Return the lock of one invitation, which an operator's decision about it holds exclusively."""
    invite_id = parse_uuid(text)
    return frozenset({invitation_lock(invite_id)} if invite_id else ())


def find_record(ctx: UnitContext, whose: Shop | Operator, text: str) -> InvitationRecord | None:
    """Return the shop's invitation, or any shop's for the operator, without its history; None if it does not exist."""
    invite_id = parse_uuid(text)
    if invite_id is None:
        return None
    if whose is OPERATOR:
        invitation = ctx.store.invitations.locate(invite_id)
        shop = ctx.store.shops.by_number(invitation.shop_number) if invitation else None
    else:
        invitation, shop = ctx.store.invitations.find(whose.number, invite_id), whose
    return InvitationRecord(invitation=invitation, shop=shop) if invitation and shop else None


def with_history(ctx: UnitContext, invitation: Invitation, shop: Shop) -> InvitationRecord:
    history = ctx.store.invitations.history(invitation)
    sent_now, invite_id = Action.INVITATION_SENT_NOW, invitation.invite_id
    return InvitationRecord(
        invitation=invitation,
        shop=shop,
        history=history,
        brought_forward={each: who_did(ctx, shop, sent_now, invite_id, each.at) for each in brought_forward(history)},
    )


def reread(ctx: UnitContext, invitation: Invitation) -> Invitation:
    """Return the invitation as it is stored now, after a compare-and-set on it has failed."""
    return ctx.store.invitations.find(invitation.shop_number, invitation.invite_id) or invitation


def locate(ctx: UnitContext, text: str) -> Invitation | None:
    invite_id = parse_uuid(text)
    return ctx.store.invitations.locate(invite_id) if invite_id else None


def _to_place(text: str | None) -> str | None:
    place = parse_uuid(text) if text is not None else None
    if text is not None and place is None:
        raise Invalid(Problem.MALFORMED, "before")
    return place


@attrs.frozen(kw_only=True)
class InvitationQuery:
    """Filters for a list of invitations: shop, state and order number, each optional, and at most `limit` items.

    A shop lists only its own invitations, and needs no `site_id`. `before` is the `next` of the previous page, or an
    invitation's id. `with_reviews` asks whether reviews followed.

    Raises: `Invalid` if `before` is not an id.
    """

    site_id: str | None = None
    state: State | None = None
    order_number: str | None = None
    before: str | None = attrs.field(default=None, converter=_to_place)
    limit: int = 100
    with_reviews: bool = False


@attrs.frozen(kw_only=True)
class InvitationPage:
    """A page of invitations without their histories, newest first; `next` is the cursor of the next page, or None."""

    invitations: Sequence[InvitationRecord]
    next: str | None


Listed: TypeAlias = InvitationPage | ShopUnknown | KeyRefused | LimitReached | Invalid


@write(locks=credential_locks, only_if=is_charged)
def list_invitations(
    ctx: UnitContext, actor: Actor | Credential | Operator, query: InvitationQuery | Invalid
) -> Listed:
    """List the newest invitations. Ids increase with time, so new invitations never appear on a later page."""
    reader = actor if actor is OPERATOR else admit_reader(ctx, actor)
    if not isinstance(reader, Shop | Operator):
        return reader
    if isinstance(query, Invalid):
        return query
    found = _of_any_shop(ctx, query) if reader is OPERATOR else _of_own_shop(ctx, reader, query)
    if isinstance(found, ShopUnknown):
        return found
    page = found[: query.limit]
    asked = [(shop.number, invitation.invite_id) for shop, invitation in page if query.with_reviews]
    reviewed = ctx.store.reviews.reviewed(asked) if asked else ()
    return InvitationPage(
        invitations=[
            InvitationRecord(invitation=invitation, shop=shop, reviewed=(shop.number, invitation.invite_id) in reviewed)
            for shop, invitation in page
        ],
        next=page[-1][1].invite_id if page and len(found) > query.limit else None,
    )


def _of_any_shop(ctx: UnitContext, query: InvitationQuery) -> Sequence[tuple[Shop, Invitation]] | ShopUnknown:
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    return ctx.store.invitations.newest(
        shop=shop, state=query.state, before=query.before, order_number=query.order_number, limit=query.limit + 1
    )


def _of_own_shop(
    ctx: UnitContext, shop: Shop, query: InvitationQuery
) -> Sequence[tuple[Shop, Invitation]] | ShopUnknown:
    if query.site_id not in (None, shop.site_id.text):
        return ShopUnknown(str(query.site_id))
    found = ctx.store.invitations.of_shop(
        shop.number, state=query.state, before=query.before, order_number=query.order_number, limit=query.limit + 1
    )
    return [(shop, invitation) for invitation in found]


Shown: TypeAlias = InvitationRecord | InvitationUnknown | KeyRefused | LimitReached


@write(locks=credential_locks, only_if=is_charged)
def show_invitation(ctx: UnitContext, actor: Actor | Credential | Operator, invite_id: str) -> Shown:
    """Return one invitation with its history; another shop's invitation is unknown to the actor."""
    reader = actor if actor is OPERATOR else admit_reader(ctx, actor)
    if not isinstance(reader, Shop | Operator):
        return reader
    found = find_record(ctx, reader, invite_id)
    if found is None:
        return InvitationUnknown(invite_id)
    review = ctx.store.reviews.of_invitation(found.shop.number, found.invitation.invite_id)
    record = with_history(ctx, found.invitation, found.shop)
    return attrs.evolve(record, review_id=review.review_id if review else None)


def resolve_uncertain(ctx: UnitContext, invitation: Invitation, to: State) -> Invitation | NotUncertain:
    """Move an uncertain invitation to `to` and return it.

    This drops the worker's claim, so a late answer of the mail server changes nothing.
    """
    if invitation.state is not State.UNCERTAIN:
        return NotUncertain(invitation.state)
    due_at = ctx.now if to is State.SCHEDULED else None
    resolved = invitation.moved(to, Reason.OPERATOR, ctx.now, due_at=due_at)
    if not ctx.store.invitations.change(invitation, resolved):
        return NotUncertain(reread(ctx, invitation).state)
    return resolved
