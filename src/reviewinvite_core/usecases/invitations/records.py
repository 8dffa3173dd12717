"""Invitations with their shop and history, and how they are found by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.actor import Actor
from reviewinvite_core.domain.api_key import OPERATOR, Operator
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.invitations import Change, Invitation, brought_forward, invitation_lock
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.activity.record import who_did
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
    brought_forward: Mapping[Change, Actor | None] = attrs.field(factory=dict)
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
