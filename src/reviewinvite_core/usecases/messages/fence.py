"""Decide whether a notice may pass the fence, after which it counts as sent. Spec: §6, ADR-7, ADR-57."""

from __future__ import annotations

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.usecases.context import UnitContext


def fence_notice(ctx: UnitContext, ours: Notice, *, paused: bool) -> tuple[Notice, bool]:
    """Return the notice as it is after the fence, and whether our claim held until then.

    It passes only while our claim holds and it has not expired; suppressions of invitations do not stop it.
    """
    now = ctx.store.notices.find(ours.message_id) or ours
    if not (ours.claim and now.held_by(ours.claim.token, ctx.now)):
        return now, False
    after = _decided(ctx, now, paused=paused)
    if not ctx.store.notices.change(now, after):
        return ctx.store.notices.find(ours.message_id) or ours, False
    return after, True


def _decided(ctx: UnitContext, now: Notice, *, paused: bool) -> Notice:
    if paused:
        return now.moved(State.SCHEDULED, Reason.PAUSED, ctx.now)
    if now.sealed is None:
        return now.moved(State.CANCELLED, Reason.ERASED, ctx.now)
    if ctx.now >= now.expires_at:
        return now.moved(State.EXPIRED, Reason.OVERDUE, ctx.now)
    claim = Claim(token=now.claim.token, lease_until=ctx.now + ctx.policies.lease) if now.claim else None
    return now.moved(State.HANDING_OVER, Reason.FENCED, ctx.now, claim=claim)
