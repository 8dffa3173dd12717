"""See what became of invitations, and let a person's word decide about them. Spec: §3."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.errors import AddressErased, InvitationUnknown, NotUncertain, ShopUnknown, TooLate
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.invitations import Change, Invitation, Reason, State, invitation_lock
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class InvitationRecord:
    """An invitation, its shop, and its history from the first report on (empty where it was not asked for)."""

    invitation: Invitation
    shop: Shop
    history: Sequence[Change] = ()


@attrs.frozen(kw_only=True)
class InvitationQuery:
    """Which invitations to list: of one shop or all, in one state or any, at most `limit`."""

    site_id: str | None = None
    state: State | None = None
    limit: int = 100


def list_invitations(ctx: UnitContext, query: InvitationQuery) -> Sequence[InvitationRecord] | ShopUnknown:
    """The newest invitations, the newest first."""
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    newest = ctx.store.invitations.newest(shop=shop, state=query.state, limit=query.limit)
    return [InvitationRecord(invitation=invitation, shop=owner) for owner, invitation in newest]


def show_invitation(ctx: UnitContext, invite_id: str) -> InvitationRecord | InvitationUnknown:
    """One invitation with its history."""
    invitation = _locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    shop = ctx.store.shops.by_number(invitation.shop_number)
    if shop is None:
        return InvitationUnknown(invite_id)
    history = ctx.store.invitations.history(invitation)
    return InvitationRecord(invitation=invitation, shop=shop, history=history)


def locks(text: str) -> frozenset[int]:
    """What a person's word about one invitation must have to itself (`ports.Locking`): that invitation."""
    invite_id = parse_uuid(text)
    return frozenset({invitation_lock(invite_id)} if invite_id else ())


def cancel_invitation(ctx: UnitContext, invite_id: str) -> Invitation | InvitationUnknown | TooLate:
    """Withdraw an invitation that has not been handed over; cancelling it again changes nothing.

    A worker that holds it already meets the fence, and nothing goes out (ADR-7).
    """
    invitation = _locate(ctx, invite_id)
    return cancelled(ctx, invitation) if invitation else InvitationUnknown(invite_id)


def cancelled(ctx: UnitContext, invitation: Invitation) -> Invitation | TooLate:
    """The invitation, cancelled now or before."""
    if invitation.state is State.CANCELLED:
        return invitation
    if not invitation.can_move(State.CANCELLED, Reason.CANCELLED):
        return TooLate(invitation.state)
    withdrawn = invitation.moved(State.CANCELLED, Reason.CANCELLED, ctx.now)
    if not ctx.store.invitations.change(invitation, withdrawn):
        return TooLate(_state_now(ctx, invitation))
    return withdrawn


def send_invitation_now(ctx: UnitContext, invite_id: str) -> Invitation | InvitationUnknown | TooLate:
    """Make a scheduled invitation due at once; saying it again changes nothing.

    What the shop was told, `scheduled_for`, stays. While its shop is inactive it still waits.
    """
    invitation = _locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    if invitation.state is not State.SCHEDULED:
        return TooLate(invitation.state)
    if invitation.reason is Reason.OPERATOR and invitation.due_at <= ctx.now:
        return invitation
    due = invitation.moved(State.SCHEDULED, Reason.OPERATOR, ctx.now, due_at=ctx.now)
    if not ctx.store.invitations.change(invitation, due):
        return TooLate(_state_now(ctx, invitation))
    return due


def resolve_as_sent(ctx: UnitContext, invite_id: str) -> Invitation | InvitationUnknown | NotUncertain:
    """Settle an uncertain invitation: it has arrived, as an operator has found out.

    The worker's claim is dropped with it, so that an answer that comes later changes nothing any more.
    """
    invitation = _locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    return _resolved(ctx, invitation, State.SENT)


def resolve_by_resending(
    ctx: UnitContext, invite_id: str
) -> Invitation | InvitationUnknown | NotUncertain | AddressErased:
    """Settle an uncertain invitation: send it once more, at once, although it may have arrived already.

    The worker's claim is dropped with it, so that an answer that comes later changes nothing any more.
    """
    invitation = _locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    if invitation.state is State.UNCERTAIN and invitation.sealed_address is None:
        return AddressErased()
    return _resolved(ctx, invitation, State.SCHEDULED)


def _resolved(ctx: UnitContext, invitation: Invitation, to: State) -> Invitation | NotUncertain:
    if invitation.state is not State.UNCERTAIN:
        return NotUncertain(invitation.state)
    due_at = ctx.now if to is State.SCHEDULED else None
    resolved = invitation.moved(to, Reason.OPERATOR, ctx.now, due_at=due_at)
    if not ctx.store.invitations.change(invitation, resolved):
        return NotUncertain(_state_now(ctx, invitation))
    return resolved


def _state_now(ctx: UnitContext, invitation: Invitation) -> State:
    """Where an invitation is that another hand has moved meanwhile."""
    found = ctx.store.invitations.find(invitation.shop_number, invitation.invite_id)
    return (found or invitation).state


def _locate(ctx: UnitContext, text: str) -> Invitation | None:
    invite_id = parse_uuid(text)
    return ctx.store.invitations.locate(invite_id) if invite_id else None
