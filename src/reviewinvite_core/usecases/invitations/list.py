"""List invitations. Spec: §3."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.invitation_states import (
    State,
)
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import InvitationRecord


@attrs.frozen(kw_only=True)
class InvitationQuery:
    """Which invitations to list: of one shop or all, in one state or any, at most `limit`."""

    site_id: str | None = None
    state: State | None = None
    limit: int = 100


@read
def list_invitations(ctx: UnitContext, query: InvitationQuery) -> Sequence[InvitationRecord] | ShopUnknown:
    """The newest invitations, the newest first."""
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    newest = ctx.store.invitations.newest(shop=shop, state=query.state, limit=query.limit)
    return [InvitationRecord(invitation=invitation, shop=owner) for owner, invitation in newest]
