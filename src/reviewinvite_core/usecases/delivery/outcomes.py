"""Move a claimed invitation to its next state, unless another process has done so. Spec: §3."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    RETRIES_LAST,
    Invitation,
)
from reviewinvite_core.domain.timing import backoff
from reviewinvite_core.ports import Accepted, AnswerLost, Refused, RefusedForNow, Unreachable
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import reread
from reviewinvite_core.usecases.privacy.dead_mailbox import suppress_dead_mailbox

Answer: TypeAlias = Accepted | Refused | RefusedForNow | AnswerLost | Unreachable

MOST_TRIES = 4  # during our claim only the lease's end or an operator can change the state


def record_answer(ctx: UnitContext, ours: Invitation, answer: Answer) -> Invitation:
    """Record the mail server's answer."""
    match answer:
        case Accepted(reply):
            return record_outcome(ctx, ours, State.SENT, Reason.ACCEPTED, reply=reply)
        case Refused(reply, no_mailbox):
            refused = record_outcome(ctx, ours, State.REJECTED, Reason.REFUSED, reply=reply)
            if no_mailbox:
                suppress_dead_mailbox(ctx, ours.address_hash)
            return refused
        case AnswerLost():
            return record_outcome(ctx, ours, State.UNCERTAIN, Reason.ANSWER_LOST)
        case RefusedForNow(reply):
            return schedule_retry(ctx, ours, Reason.REFUSED_FOR_NOW, reply)
        case Unreachable(cause):
            return schedule_retry(ctx, ours, Reason.UNREACHABLE, cause)


def record_outcome(
    ctx: UnitContext,
    ours: Invitation,
    to: State,
    reason: Reason,
    *,
    due_at: datetime | None = None,
    reply: str | None = None,
) -> Invitation:
    """Move the invitation if our claim still holds, and return it as it is now; a late answer overrides `uncertain`.

    The invitation has usually not changed since we claimed it, so it is reread only after a change has failed.
    Abandoned claims may be recovered between the rereading and the next change, hence the loop.
    """
    now = ours
    for _ in range(MOST_TRIES):
        if is_ours(now, ours) and now.can_move(to, reason):
            claim = now.claim if to is State.UNCERTAIN else None
            after = now.moved(to, reason, ctx.now, claim=claim, due_at=due_at, reply=reply)
            if ctx.store.invitations.change(now, after):
                return after
        elif now is not ours:
            return now
        now = reread(ctx, ours)
    return now


def schedule_retry(ctx: UnitContext, ours: Invitation, reason: Reason, reply: str | None) -> Invitation:
    """Schedule another attempt, or give up after three days of attempts."""
    if ctx.now - (ours.first_tried_at or ctx.now) >= RETRIES_LAST:
        return record_outcome(ctx, ours, State.REJECTED, Reason.RETRIES_EXHAUSTED, reply=reply)
    due_at = ctx.now + backoff(ours.attempts, jitter=ctx.entropy.draw(1)[0] / 255)
    return record_outcome(ctx, ours, State.SCHEDULED, reason, due_at=due_at, reply=reply)


def is_ours(now: Invitation, ours: Invitation) -> bool:
    """Return whether the invitation is still held by the claim that we made."""
    return now.claim is not None and ours.claim is not None and now.claim.token == ours.claim.token
