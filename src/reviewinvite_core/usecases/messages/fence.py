"""Decide whether a message may pass the fence, after which it counts as sent. Spec: §6, ADR-7, ADR-57."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Claim
from reviewinvite_core.domain.messages import ServiceMessage
from reviewinvite_core.usecases.context import UnitContext


def fence_message(ctx: UnitContext, ours: ServiceMessage, *, paused: bool) -> tuple[ServiceMessage, bool]:
    """Return the message as it is after the fence, and whether our claim held until then.

    It passes only while our claim holds and it has not expired; suppressions of invitations do not stop it.
    """
    now = ctx.store.messages.find(ours.message_id) or ours
    if not (ours.claim and now.held_by(ours.claim.token, ctx.now)):
        return now, False
    after = _decided(ctx, now, paused=paused)
    if not ctx.store.messages.change(now, after):
        return ctx.store.messages.find(ours.message_id) or ours, False
    return after, True


def _decided(ctx: UnitContext, now: ServiceMessage, *, paused: bool) -> ServiceMessage:
    if paused:
        return now.moved(State.SCHEDULED, Reason.PAUSED, ctx.now)
    if now.sealed is None:
        return now.moved(State.CANCELLED, Reason.ERASED, ctx.now)
    if ctx.now >= now.expires_at:
        return now.moved(State.EXPIRED, Reason.OVERDUE, ctx.now)
    claim = Claim(token=now.claim.token, lease_until=ctx.now + ctx.policies.lease) if now.claim else None
    return now.moved(State.HANDING_OVER, Reason.FENCED, ctx.now, claim=claim)
