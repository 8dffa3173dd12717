"""An invitation with its shop and history, and how one is found by its id."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.invitations import Change, Invitation, State, invitation_lock
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class InvitationRecord:
    """An invitation, its shop, and its history from the first report on (empty where it was not asked for)."""

    invitation: Invitation
    shop: Shop
    history: Sequence[Change] = ()


def invitation_locks(text: str) -> frozenset[int]:
    """What a person's word about one invitation must have to itself (`ports.LockedUnit`): that invitation."""
    invite_id = parse_uuid(text)
    return frozenset({invitation_lock(invite_id)} if invite_id else ())


def current_state(ctx: UnitContext, invitation: Invitation) -> State:
    """Where an invitation is that another hand has moved meanwhile."""
    found = ctx.store.invitations.find(invitation.shop_number, invitation.invite_id)
    return (found or invitation).state


def locate(ctx: UnitContext, text: str) -> Invitation | None:
    invite_id = parse_uuid(text)
    return ctx.store.invitations.locate(invite_id) if invite_id else None
