"""See what became of invitations, and cancel those that are still to come."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.errors import InvitationUnknown, ShopUnknown, TooLate
from reviewinvite_core.domain.invitations import Change, Invitation, Reason, State, invitation_lock, parse_invite_id
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.work import Work


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


def list_invitations(work: Work, query: InvitationQuery) -> Sequence[InvitationRecord] | ShopUnknown:
    """The newest invitations, the newest first."""
    shop = None
    if query.site_id is not None:
        shop = work.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    newest = work.store.invitations.newest(shop=shop, state=query.state, limit=query.limit)
    return [InvitationRecord(invitation=invitation, shop=owner) for owner, invitation in newest]


def show_invitation(work: Work, invite_id: str) -> InvitationRecord | InvitationUnknown:
    """One invitation with its history."""
    invitation = _locate(work, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    shop = work.store.shops.by_number(invitation.shop_number)
    if shop is None:
        return InvitationUnknown(invite_id)
    history = work.store.invitations.history(invitation)
    return InvitationRecord(invitation=invitation, shop=shop, history=history)


def locks(text: str) -> frozenset[int]:
    """What a person's word about one invitation must have to itself (`ports.Locking`): that invitation."""
    invite_id = parse_invite_id(text)
    return frozenset({invitation_lock(invite_id)} if invite_id else ())


def cancel_invitation(work: Work, invite_id: str) -> Invitation | InvitationUnknown | TooLate:
    """Withdraw an invitation that has not been handed over; cancelling it again changes nothing.

    A worker that holds it already meets the fence, and nothing goes out (ADR-7).
    """
    invitation = _locate(work, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    if invitation.state is State.CANCELLED:
        return invitation
    if not invitation.can_move(State.CANCELLED, Reason.CANCELLED):
        return TooLate(invitation.state)
    cancelled = invitation.moved(State.CANCELLED, Reason.CANCELLED, work.now)
    if not work.store.invitations.change(invitation, cancelled):
        return TooLate(invitation.state)
    return cancelled


def _locate(work: Work, text: str) -> Invitation | None:
    invite_id = parse_invite_id(text)
    return work.store.invitations.locate(invite_id) if invite_id else None
