"""Resolve many uncertain invitations, a batch at a time. Spec: §3."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, invitation_lock
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import reread
from reviewinvite_core.usecases.invitations.uncertain import resolve_uncertain

MOST_AT_ONCE = 500


@attrs.frozen(kw_only=True)
class UncertainQuery:
    """Selects uncertain invitations: of one shop or all, for one reason or any."""

    site_id: str | None = None
    reason: Reason | None = None


@attrs.frozen(kw_only=True)
class ManyResolved:
    """How many invitations were resolved, and how many stay uncertain because their address is erased."""

    resolved: int = 0
    erased: int = 0

    def and_also(self, other: ManyResolved) -> ManyResolved:
        """Return the sum of both."""
        return ManyResolved(resolved=self.resolved + other.resolved, erased=self.erased + other.erased)


@read
def list_uncertain(
    ctx: UnitContext, query: UncertainQuery, after: Invitation | None
) -> Sequence[Invitation] | ShopUnknown:
    """Return the next batch of uncertain invitations, ordered by shop and id; it follows `after`, or is the first."""
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    return ctx.store.invitations.uncertain(shop=shop, reason=query.reason, after=after, limit=MOST_AT_ONCE)


def _locks(uncertain: Sequence[Invitation], *, resend: bool) -> frozenset[int]:  # noqa: ARG001 - as the use case
    return frozenset(invitation_lock(each.invite_id) for each in uncertain)


@write(locks=_locks)
def resolve_batch(ctx: UnitContext, uncertain: Sequence[Invitation], *, resend: bool) -> ManyResolved:
    """Resolve those invitations that are still uncertain: as sent, or with `resend` by sending them again at once."""
    resolved = erased = 0
    for now in (reread(ctx, each) for each in uncertain):
        if resend and now.state is State.UNCERTAIN and now.sealed_address is None:
            erased += 1
        elif isinstance(resolve_uncertain(ctx, now, State.SCHEDULED if resend else State.SENT), Invitation):
            resolved += 1
    return ManyResolved(resolved=resolved, erased=erased)
