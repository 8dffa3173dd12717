"""Move what is claimed to its next state, unless another process has done so. Spec: §3, ADR-50."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, TypeAlias, TypeGuard, TypeVar

import attrs

from reviewinvite_core.domain.deliveries import ItemKey
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import RETRIES_LAST, Invitation
from reviewinvite_core.domain.notices import MailItem, Notice, NoticeKind
from reviewinvite_core.domain.relay import names_one
from reviewinvite_core.domain.timing import backoff
from reviewinvite_core.ports import Accepted, AnswerLost, Deliveries, RefusedForNow, Rejected, Unreachable
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.change import suppress_dead_mailbox

T = TypeVar("T")

Answer: TypeAlias = Accepted | Rejected | RefusedForNow | AnswerLost | Unreachable

MOST_TRIES = 4  # during our claim only the lease's end or an operator can change the state


@attrs.frozen(kw_only=True, eq=False)
class OutcomeRequest:
    """What became of a delivery: the mail server's answer, or else a step that records something else.

    `is_awaited` is as in `Fenced`.
    """

    item: MailItem
    answer: Answer = attrs.field(factory=AnswerLost)
    step: Callable[[UnitContext], MailItem] | None = None
    is_awaited: bool = False


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


def kinds_of(ctx: UnitContext) -> Sequence[Deliveries[Any]]:
    """Return all kinds of what is delivered, each as it is stored; the one that somebody waits for comes first."""
    return ctx.store.notices, ctx.store.invitations


def change_all(ctx: UnitContext, changes: Collection[tuple[MailItem, MailItem]]) -> Mapping[ItemKey, MailItem]:
    """Make changes, at most one of each item; return what was changed, by key. What has changed meanwhile stays."""
    changed: dict[ItemKey, MailItem] = {}
    for kind, those in _by_kind(ctx, changes, lambda change: change[0]):
        made = kind.change_all(those)
        changed.update((after.key, after) for (_, after), is_made in zip(those, made, strict=True) if is_made)
    return changed


def reread_all(ctx: UnitContext, items: Collection[MailItem]) -> Mapping[ItemKey, MailItem]:
    """Return these items as they are stored now, by key; one that is gone stays as it is given."""
    stored = {item.key: item for item in items}
    for kind, those in _by_kind(ctx, items, lambda item: item):
        stored.update(kind.find_all([item.key for item in those]))
    return stored


def _by_kind(
    ctx: UnitContext, values: Collection[T], item_of: Callable[[T], MailItem]
) -> Iterator[tuple[Deliveries[Any], Sequence[T]]]:
    """Yield each kind of which there are any, with these."""
    for kind, stored in zip((Notice, Invitation), kinds_of(ctx), strict=True):
        if those := [each for each in values if isinstance(item_of(each), kind)]:
            yield stored, those


def record_all(ctx: UnitContext, answers: Sequence[tuple[MailItem, Answer]]) -> Sequence[MailItem]:
    """Record answers of mail servers, as if one after the other; return each item as it is now.

    Neighbours are stored together. A dead mailbox affects the address's other invitations, so it takes its turn.
    """
    recorded: list[MailItem] = []
    for no_mailbox, those in groupby(answers, _found_no_mailbox):
        for part in [[each] for each in those] if no_mailbox else [list(those)]:
            recorded += _record_together(ctx, part)
            if no_mailbox:
                suppress_dead_mailbox(ctx, part[0][0].address_hash)
    return recorded


def _found_no_mailbox(answered: tuple[MailItem, Answer]) -> bool:
    item, answer = answered
    return isinstance(item, Invitation) and isinstance(answer, Rejected) and answer.no_mailbox


def _record_together(ctx: UnitContext, answers: Sequence[tuple[MailItem, Answer]]) -> Sequence[MailItem]:
    """Store all that have not changed since we fenced or claimed them; handle the others one by one, afterwards."""
    outcomes = [(item, _outcome_of(ctx, item, answer)) for item, answer in answers]
    changes: dict[ItemKey, tuple[MailItem, MailItem]] = {}
    for item, outcome in outcomes:
        if item.claim and item.can_move(outcome.to, outcome.reason):
            changes.setdefault(item.key, (item, _moved(ctx, item, outcome)))
    stored = dict(change_all(ctx, changes.values()))
    recorded = []
    for item, outcome in outcomes:
        after = stored.pop(item.key) if item.key in stored else _record(ctx, item, outcome)
        recorded.append(after)
    return recorded


def _outcome_of(ctx: UnitContext, item: MailItem, answer: Answer) -> _Outcome:
    match answer:
        case Accepted(reply):
            return _Outcome(to=State.SENT, reason=Reason.ACCEPTED, reply=reply)
        case AnswerLost():
            return _Outcome(to=item.lost_answer, reason=Reason.ANSWER_LOST)
        case _ if names_nobody(answer):
            return _refused_in_general(ctx, item, answer)
        case Rejected(reply):
            return _Outcome(to=State.REJECTED, reason=Reason.REFUSED, reply=reply)
        case RefusedForNow(reply):
            clock = _RetryClock(first_tried_at=item.first_tried_at)
            return _retry(ctx, item, Reason.REFUSED_FOR_NOW, reply, clock=clock)
    raise AssertionError(answer)


def names_nobody(answer: Answer) -> TypeGuard[Rejected | RefusedForNow | Unreachable]:
    """Return whether an answer refuses the message in a way that may be about all mail (ADR-69)."""
    match answer:
        case Unreachable():
            return True
        case RefusedForNow(reply):
            return (reply or "").startswith("5") or not names_one(reply)  # a 5xx to our login, or to the sender
        case Rejected(reply, no_mailbox):
            return not (no_mailbox or names_one(reply))
    return False


def _refused_in_general(ctx: UnitContext, item: MailItem, answer: Rejected | RefusedForNow | Unreachable) -> _Outcome:
    """Schedule another attempt for which the time since the last one does not count, if nothing was accepted since.

    If something was, the refusal must have been about this one: a permanent one is believed the second time.
    """
    relay, refused_at = ctx.store.relay.state(), item.refused_at
    is_tested = refused_at is not None and relay.has_accepted_since(refused_at)
    reply = answer.cause if isinstance(answer, Unreachable) else answer.reply
    if isinstance(answer, Rejected) and is_tested and not relay.outage_since:
        return _Outcome(to=State.REJECTED, reason=Reason.REFUSED, reply=reply)
    began = item.first_tried_at
    if began and refused_at and not is_tested:
        began += ctx.now - refused_at
    clock = _RetryClock(first_tried_at=began, refused_at=ctx.now)
    reason = Reason.UNREACHABLE if isinstance(answer, Unreachable) else Reason.REFUSED_FOR_NOW
    return _retry(ctx, item, reason, reply, clock=clock, is_outage=relay.outage_since is not None)


def record_outcome(
    ctx: UnitContext,
    item: MailItem,
    to: State,
    reason: Reason,
    *,
    due_at: datetime | None = None,
    reply: str | None = None,
) -> MailItem:
    """Move the item if our claim still holds, and return it as it is now; a late answer overrides `uncertain`."""
    return _record(ctx, item, _Outcome(to=to, reason=reason, due_at=due_at, reply=reply))


def _record(ctx: UnitContext, item: MailItem, outcome: _Outcome) -> MailItem:
    """Move the item as `record_outcome` does.

    It has usually not changed since we claimed it, so it is reread only after a change has failed.
    Abandoned claims may be recovered between the rereading and the next change, hence the loop.
    """
    stored = item
    for _ in range(MOST_TRIES):
        if stored.has_claim_of(item) and stored.can_move(outcome.to, outcome.reason):
            if changed := change_all(ctx, [(stored, _moved(ctx, stored, outcome))]):
                return changed[item.key]
        elif stored is not item:
            return stored
        stored = reread_all(ctx, [item])[item.key]
    return stored


def schedule_retry(ctx: UnitContext, item: MailItem, reason: Reason, reply: str | None) -> MailItem:
    """Schedule another attempt; give up on an invitation after three days of attempts. A notice expires before."""
    return _record(ctx, item, _retry(ctx, item, reason, reply))


def _retry(
    ctx: UnitContext,
    item: MailItem,
    reason: Reason,
    reply: str | None,
    *,
    clock: _RetryClock | None = None,
    is_outage: bool = False,
) -> _Outcome:
    began = clock.first_tried_at if clock else item.first_tried_at
    if began and not is_outage and ctx.now - began >= RETRIES_LAST:
        return _Outcome(to=State.REJECTED, reason=Reason.RETRIES_EXHAUSTED, reply=reply)
    is_link = isinstance(item, Notice) and item.kind is NoticeKind.SIGN_IN_LINK
    attempt = 1 if is_link else item.attempts  # whoever asked for a link waits for it, and it may be renewed for long
    due_at = ctx.now + backoff(attempt, jitter=ctx.entropy.draw(1)[0] / 255)
    return _Outcome(to=State.SCHEDULED, reason=reason, due_at=due_at, reply=reply, clock=clock)


def _moved(ctx: UnitContext, item: MailItem, outcome: _Outcome) -> MailItem:
    """Return the item after this outcome."""
    after = item.moved(outcome.to, outcome.reason, ctx.now, due_at=outcome.due_at, reply=outcome.reply)
    if isinstance(after, Notice):
        return attrs.evolve(after, refused_at=outcome.clock.refused_at) if outcome.clock else after
    if outcome.to is State.REJECTED:
        return attrs.evolve(after, epoch=ctx.store.relay.state().epoch)
    if outcome.clock is None:
        return after
    return attrs.evolve(after, first_tried_at=outcome.clock.first_tried_at, refused_at=outcome.clock.refused_at)
