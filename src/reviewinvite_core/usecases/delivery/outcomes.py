"""Move what is claimed to its next state, unless another process has done so. Spec: §3, ADR-50."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import TypeAlias, TypeGuard

import attrs

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import RETRIES_LAST, Invitation
from reviewinvite_core.domain.messages import MailItem, MessageKind, ServiceMessage
from reviewinvite_core.domain.relay import names_one
from reviewinvite_core.domain.timing import backoff
from reviewinvite_core.ports import Accepted, AnswerLost, Refused, RefusedForNow, Unreachable
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.read import reread
from reviewinvite_core.usecases.messages.outcomes import record_message
from reviewinvite_core.usecases.privacy.change import suppress_dead_mailbox

Answer: TypeAlias = Accepted | Refused | RefusedForNow | AnswerLost | Unreachable

MOST_TRIES = 4  # during our claim only the lease's end or an operator can change the state


@attrs.frozen(kw_only=True)
class _RetryClock:
    """When the attempts began, later by the time that does not count; and the last refusal that names nobody."""

    first_tried_at: datetime | None
    refused_at: datetime | None = None


@attrs.frozen(kw_only=True)
class _Outcome:
    """The transition that an answer leads to."""

    to: State
    reason: Reason
    due_at: datetime | None = None
    reply: str | None = None
    clock: _RetryClock | None = None


def record_all(ctx: UnitContext, requests: Sequence[tuple[Invitation, Answer]]) -> Sequence[Invitation]:
    """Record answers of mail servers, as if one after the other; return each invitation as it is now.

    Neighbours are stored together. A dead mailbox affects the address's other invitations, so it takes its turn.
    """
    recorded: list[Invitation] = []
    for no_mailbox, those in groupby(requests, _found_no_mailbox):
        for part in [[each] for each in those] if no_mailbox else [list(those)]:
            recorded += _record_together(ctx, part)
            if no_mailbox:
                suppress_dead_mailbox(ctx, part[0][0].address_hash)
    return recorded


def record_answer(ctx: UnitContext, ours: MailItem, answer: Answer) -> MailItem:
    """Record the mail server's answer to one invitation or message; return it as it is now."""
    if isinstance(ours, ServiceMessage):
        return _record_outcome(ctx, ours, _outcome_of(ctx, ours, answer))
    return record_all(ctx, [(ours, answer)])[0]


def _found_no_mailbox(request: tuple[Invitation, Answer]) -> bool:
    _, answer = request
    return isinstance(answer, Refused) and answer.no_mailbox


def _record_together(ctx: UnitContext, requests: Sequence[tuple[Invitation, Answer]]) -> Sequence[Invitation]:
    """Store all that have not changed since we fenced or claimed them; handle the others one by one, afterwards."""
    outcomes = [_outcome_of(ctx, ours, answer) for ours, answer in requests]
    changes: dict[str, tuple[Invitation, Invitation]] = {}
    for (ours, _), outcome in zip(requests, outcomes, strict=True):
        if ours.claim and ours.can_move(outcome.to, outcome.reason):
            changes.setdefault(ours.invite_id, (ours, _moved(ctx, ours, outcome)))
    changed = ctx.store.invitations.change_all(list(changes.values()))
    stored = {key: after for (key, (_, after)), done in zip(changes.items(), changed, strict=True) if done}
    recorded = []
    for (ours, _), outcome in zip(requests, outcomes, strict=True):
        after = stored.pop(ours.invite_id, None)
        recorded.append(after if after is not None else _record_invitation(ctx, ours, outcome))
    return recorded


def _outcome_of(ctx: UnitContext, ours: MailItem, answer: Answer) -> _Outcome:
    match answer:
        case Accepted(reply):
            return _Outcome(to=State.SENT, reason=Reason.ACCEPTED, reply=reply)
        case AnswerLost():
            return _Outcome(to=State.UNCERTAIN, reason=Reason.ANSWER_LOST)
        case _ if names_nobody(answer):
            return _refused_in_general(ctx, ours, answer)
        case Refused(reply):
            return _Outcome(to=State.REJECTED, reason=Reason.REFUSED, reply=reply)
        case RefusedForNow(reply):
            clock = _RetryClock(first_tried_at=_tried_since(ours))
            return _retry(ctx, ours, Reason.REFUSED_FOR_NOW, reply, clock=clock)
    raise AssertionError(answer)


def names_nobody(answer: Answer) -> TypeGuard[Refused | RefusedForNow | Unreachable]:
    """Return whether an answer refuses the message in a way that may be about all mail (ADR-69)."""
    match answer:
        case Unreachable():
            return True
        case RefusedForNow(reply):
            return (reply or "").startswith("5") or not names_one(reply)  # a 5xx to our login, or to the sender
        case Refused(reply, no_mailbox):
            return not (no_mailbox or names_one(reply))
    return False


def _refused_in_general(ctx: UnitContext, ours: MailItem, answer: Refused | RefusedForNow | Unreachable) -> _Outcome:
    """Schedule another attempt for which the time since the last one does not count, if nothing was accepted since.

    If something was, the refusal must have been about this one: a permanent one is believed the second time.
    """
    relay, refused_at = ctx.store.relay.state(), ours.refused_at
    is_tested = refused_at is not None and relay.has_accepted_since(refused_at)
    reply = answer.cause if isinstance(answer, Unreachable) else answer.reply
    if isinstance(answer, Refused) and is_tested and not relay.outage_since:
        return _Outcome(to=State.REJECTED, reason=Reason.REFUSED, reply=reply)
    began = _tried_since(ours)
    if began and refused_at and not is_tested:
        began += ctx.now - refused_at
    clock = _RetryClock(first_tried_at=began, refused_at=ctx.now)
    reason = Reason.UNREACHABLE if isinstance(answer, Unreachable) else Reason.REFUSED_FOR_NOW
    return _retry(ctx, ours, reason, reply, clock=clock, is_outage=relay.outage_since is not None)


def record_outcome(
    ctx: UnitContext,
    ours: MailItem,
    to: State,
    reason: Reason,
    *,
    due_at: datetime | None = None,
    reply: str | None = None,
) -> MailItem:
    """Move the item if our claim still holds, and return it as it is now; a late answer overrides `uncertain`.

    It has usually not changed since we claimed it, so it is reread only after a change has failed.
    Abandoned claims may be recovered between the rereading and the next change, hence the loop.
    """
    return _record_outcome(ctx, ours, _Outcome(to=to, reason=reason, due_at=due_at, reply=reply))


def _record_outcome(ctx: UnitContext, ours: MailItem, outcome: _Outcome) -> MailItem:
    if isinstance(ours, ServiceMessage):
        refused_at = outcome.clock.refused_at if outcome.clock else ours.refused_at
        return record_message(
            ctx, ours, outcome.to, outcome.reason, due_at=outcome.due_at, reply=outcome.reply, refused_at=refused_at
        )
    return _record_invitation(ctx, ours, outcome)


def _record_invitation(ctx: UnitContext, ours: Invitation, outcome: _Outcome) -> Invitation:
    now = ours
    for _ in range(MOST_TRIES):
        if is_ours(now, ours) and now.can_move(outcome.to, outcome.reason):
            after = _moved(ctx, now, outcome)
            if ctx.store.invitations.change(now, after):
                return after
        elif now is not ours:
            return now
        now = reread(ctx, ours)
    return now


def schedule_retry(ctx: UnitContext, ours: MailItem, reason: Reason, reply: str | None) -> MailItem:
    """Schedule another attempt; give up on an invitation after three days of attempts. A message expires before."""
    return _record_outcome(ctx, ours, _retry(ctx, ours, reason, reply))


def _retry(
    ctx: UnitContext,
    ours: MailItem,
    reason: Reason,
    reply: str | None,
    *,
    clock: _RetryClock | None = None,
    is_outage: bool = False,
) -> _Outcome:
    began = clock.first_tried_at if clock else _tried_since(ours)
    if began and not is_outage and ctx.now - began >= RETRIES_LAST:
        return _Outcome(to=State.REJECTED, reason=Reason.RETRIES_EXHAUSTED, reply=reply)
    is_link = isinstance(ours, ServiceMessage) and ours.kind is MessageKind.SIGN_IN_LINK
    attempt = 1 if is_link else ours.attempts  # whoever asked for a link waits for it, and it may be renewed for long
    due_at = ctx.now + backoff(attempt, jitter=ctx.entropy.draw(1)[0] / 255)
    return _Outcome(to=State.SCHEDULED, reason=reason, due_at=due_at, reply=reply, clock=clock)


def _tried_since(item: MailItem) -> datetime | None:
    """Return when the attempts at an invitation began; a message expires before they could last too long."""
    return item.first_tried_at if isinstance(item, Invitation) else None


def _moved(ctx: UnitContext, now: Invitation, outcome: _Outcome) -> Invitation:
    """Return the invitation after this outcome; one in doubt keeps its claim, for a late answer."""
    claim = now.claim if outcome.to is State.UNCERTAIN else None
    after = now.moved(outcome.to, outcome.reason, ctx.now, claim=claim, due_at=outcome.due_at, reply=outcome.reply)
    if outcome.to is State.REJECTED:
        return attrs.evolve(after, epoch=ctx.store.relay.state().epoch)
    if outcome.clock is None:
        return after
    return attrs.evolve(after, first_tried_at=outcome.clock.first_tried_at, refused_at=outcome.clock.refused_at)


def is_ours(now: Invitation, ours: Invitation) -> bool:
    """Return whether the invitation is still held by the claim that we made."""
    return now.claim is not None and ours.claim is not None and now.claim.token == ours.claim.token
