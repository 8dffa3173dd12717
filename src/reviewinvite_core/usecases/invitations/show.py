"""Show one invitation. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.errors import InvitationUnknown
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import InvitationRecord, locate


@read
def show_invitation(ctx: UnitContext, invite_id: str) -> InvitationRecord | InvitationUnknown:
    """One invitation with its history."""
    invitation = locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    shop = ctx.store.shops.by_number(invitation.shop_number)
    if shop is None:
        return InvitationUnknown(invite_id)
    history = ctx.store.invitations.history(invitation)
    return InvitationRecord(invitation=invitation, shop=shop, history=history)
