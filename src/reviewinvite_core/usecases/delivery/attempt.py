"""Deliver one message to the mail server: stage, fence, commit, record. Spec: §6, ADR-7.

Each step that touches storage is a separate unit of work, durable before the next one begins. So a crash at any point
leaves a state from which nothing is sent twice and nothing is lost silently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.frequency import is_too_soon
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    Invitation,
    may_have_arrived,
)
from reviewinvite_core.domain.timing import backoff
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    Clock,
    HighWaterMarkUnwritten,
    Letter,
    Mailer,
    Message,
    NotRenderable,
    Refused,
    RefusedForNow,
    Renderer,
    Staged,
    Unreachable,
)
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.claim import Assignment
from reviewinvite_core.usecases.delivery.committer import (
    Answer,
    Committer,
    Fenced,
    FenceRequest,
    MarkUnread,
    OutcomeRequest,
    StopSignal,
)
from reviewinvite_core.usecases.delivery.outcomes import record_outcome, schedule_retry
from reviewinvite_core.usecases.delivery.restore_guard import (
    HighWaterMarkSnapshot,
    RestoreGuard,
    check_for_rollback,
)
from reviewinvite_core.usecases.invitations.records import reread
from reviewinvite_core.usecases.privacy.dead_mailbox import suppress_dead_mailbox

PAUSE_SECONDS = 1.0  # before unavailable storage is tried again


@attrs.frozen(kw_only=True)
class DeliveryConfig:
    """What a delivery needs besides storage: the renderer, the mailer and the base of links.

    `clock` is this machine's: it paces deliveries, but no decision depends on it (ADR-12). `restore_guard` is None if
    storage does not outlive the process.
    """

    renderer: Renderer
    mailer: Mailer
    base_url: str
    clock: Clock
    lease: timedelta
    restore_guard: RestoreGuard | None = None


@attrs.frozen(kw_only=True)
class DeliveryResult:
    """Result of one delivery: the invitation as it is afterwards, and the error on our side, if there was one.

    `token` is that of the delivery's claim: meanwhile another worker may have claimed the invitation with a new token.
    """

    invitation: Invitation
    trouble: Exception | None = None
    token: bytes = attrs.field(default=b"", repr=False)


@attrs.frozen
class DeliveryAttempt:
    """Delivers messages, any number at once."""

    _committer: Committer
    _config: DeliveryConfig
    _stop: StopSignal
    _on_trouble: Callable[[StorageUnavailable], None]

    async def deliver(
        self, assignment: Assignment, begun_by: datetime, free: Callable[[], None] = lambda: None
    ) -> DeliveryResult:
        """Deliver a letter, and record the mail server's answer. Never raises an `Exception`.

        `begun_by` is the latest instant, by this machine's clock, at which enough of the lease is left to begin. `free`
        is called when the session may carry the next message, perhaps before the answer is durable.
        """
        ours = assignment.invitation
        try:
            if self._config.clock.now() >= begun_by:
                return DeliveryResult(invitation=await self._record(ours, State.SCHEDULED, Reason.LEASE_EXPIRED))
            return await self._bring(assignment, free)
        except Exception as trouble:
            return await self._give_back(ours, Reason.FAULT, trouble)

    async def _bring(self, assignment: Assignment, free: Callable[[], None]) -> DeliveryResult:
        ours = assignment.invitation
        with self._committer.approaching_the_fence():
            message = _render(self._config, assignment.letter)
            staged = await self._config.mailer.stage(message) if message else None
        if staged is None:
            return DeliveryResult(invitation=await self._record(ours, State.REJECTED, Reason.NOT_RENDERABLE))
        if isinstance(staged, Unreachable | RefusedForNow | Refused):
            return DeliveryResult(invitation=await self._keep(ours, staged, free))
        try:
            fenced = await self._pass_fence(ours)
        except BaseException:
            staged.abandon()
            raise
        if fenced.number is None:
            staged.abandon()
            return DeliveryResult(invitation=fenced.invitation, trouble=fenced.trouble)
        if fenced.unwritten:
            staged.abandon()
            reason = Reason.MARK_UNWRITTEN if isinstance(fenced.unwritten, HighWaterMarkUnwritten) else Reason.FAULT
            return await self._give_back(fenced.invitation, reason, fenced.unwritten)
        return await self._await_answer(staged, fenced.invitation, free)

    async def _pass_fence(self, ours: Invitation) -> Fenced:
        """Pass the fence, then write the high-water mark: only then may the end be transmitted."""
        if self._stop.is_set():
            return Fenced(invitation=await self._record(ours, State.SCHEDULED, Reason.SHUTDOWN))
        try:
            return await self._committer.fence(FenceRequest(ours=ours))
        except MarkUnread as unread:
            return Fenced(invitation=await self._record(ours, State.SCHEDULED, Reason.PAUSED), trouble=unread.why)

    async def _await_answer(self, staged: Staged, fenced: Invitation, free: Callable[[], None]) -> DeliveryResult:
        """Transmit the end. From now on, the message never counts as unsent, whatever happens."""
        answer: Answer = AnswerLost()
        trouble: Exception | None = None
        try:
            answer = await staged.commit()
        except Exception as fault:
            trouble = fault
        try:
            return DeliveryResult(invitation=await self._keep(fenced, answer, free), trouble=trouble)
        except Exception as fault:
            return DeliveryResult(invitation=fenced, trouble=trouble or fault)

    async def _keep(self, ours: Invitation, answer: Answer, free: Callable[[], None]) -> Invitation:
        """Record the answer. Only this process knows it, so storage is retried until the lease ends."""
        lease = ours.claim.lease_until - ours.changed_at if ours.claim else timedelta(0)
        tries_left = int(lease.total_seconds() / PAUSE_SECONDS)

        async def try_again(trouble: StorageUnavailable) -> bool:
            nonlocal tries_left
            if tries_left <= 0:
                return False
            tries_left -= 1
            self._on_trouble(trouble)
            if await self._committer.wait(self._stop, PAUSE_SECONDS):
                tries_left = 0
            return True

        request = OutcomeRequest(ours=ours, answer=answer)
        return await self._committer.record(request, queued=free, try_again=try_again)

    async def _record(self, ours: Invitation, to: State, reason: Reason) -> Invitation:
        return await self._step(ours, lambda ctx: record_outcome(ctx, ours, to, reason))

    async def _give_back(self, ours: Invitation, reason: Reason, trouble: Exception) -> DeliveryResult:
        """Release an invitation for a later attempt; it was certainly not sent, because of an error on our side."""
        left = ours
        # The cause says more than a fault here. An invitation that is not released is free when its lease ends, unless
        # it has passed the fence: then it becomes uncertain, as nobody else can know that it was not sent.
        with suppress(Exception):
            left = await self._step(ours, lambda ctx: _undo(ctx, ours, reason, type(trouble).__name__))
        return DeliveryResult(invitation=left, trouble=trouble)

    async def _step(self, ours: Invitation, step: Callable[[UnitContext], Invitation]) -> Invitation:
        request = OutcomeRequest(ours=ours, step=step)
        return await self._committer.record(request, queued=_do_nothing, try_again=_never)


def fence_all(ctx: UnitContext, requests: Sequence[FenceRequest]) -> Sequence[Fenced]:
    """Pass the point of no return with each of these messages; return how each has fared."""
    return [_fence(ctx, each.ours, each.high_water_mark) for each in requests]


def record_all(ctx: UnitContext, requests: Sequence[OutcomeRequest]) -> Sequence[Invitation]:
    """Record the outcome of each of these deliveries; return the invitations as they are afterwards."""
    return [_outcome(ctx, each) for each in requests]


def _outcome(ctx: UnitContext, request: OutcomeRequest) -> Invitation:
    return request.step(ctx) if request.step else _record(ctx, request.ours, request.answer)


def _do_nothing() -> None:
    """Serve as a callback that has no effect."""


async def _never(_: StorageUnavailable) -> bool:
    return False


def _render(config: DeliveryConfig, letter: Letter | None) -> Message | None:
    if letter is None:
        return None
    try:
        return config.renderer.render(letter)
    except NotRenderable:
        return None


def _fence(ctx: UnitContext, ours: Invitation, high_water_mark: HighWaterMarkSnapshot | None) -> Fenced:
    """Pass the point of no return.

    It is passed only while our claim holds, the shop is active, and the address exists and is not suppressed; never
    while the database is older than what was sent, and not if the order has been reviewed or the frequency rule
    forbids it.
    """
    now = reread(ctx, ours)
    if ours.claim is None or not now.held_by(ours.claim.token, ctx.now):
        return Fenced(invitation=now)
    pause = check_for_rollback(ctx, high_water_mark)
    shop = ctx.store.shops.by_number(now.shop_number)
    if pause:
        after = now.moved(State.SCHEDULED, Reason.PAUSED, ctx.now)
    elif ctx.store.suppressions.covers(now.shop_number, now.address_hash, ctx.now):
        after = now.moved(State.SUPPRESSED, Reason.OPTED_OUT, ctx.now)
    elif now.sealed_address is None:
        after = now.moved(State.CANCELLED, Reason.ERASED, ctx.now)
    elif shop is None or not shop.active:
        after = now.moved(State.SCHEDULED, Reason.SHOP_INACTIVE, ctx.now)
    elif _is_reviewed(ctx, now):
        after = now.moved(State.SENT, Reason.REVIEWED, ctx.now)
    elif shop.frequency_days and _is_recently_invited(ctx, now, shop.frequency_days):
        after = now.moved(State.SUPPRESSED, Reason.RECENTLY_INVITED, ctx.now)
    else:
        claim = attrs.evolve(ours.claim, lease_until=ctx.now + ctx.policies.lease)
        after = now.moved(State.HANDING_OVER, Reason.FENCED, ctx.now, claim=claim)
    if not ctx.store.invitations.change(now, after):
        return Fenced(invitation=reread(ctx, ours))
    if after.state is not State.HANDING_OVER:
        return Fenced(invitation=after, trouble=DeliveryPaused(pause) if pause else None)
    number = ctx.store.hosts.raise_fence(high_water_mark.mark.host) if high_water_mark else 0
    return Fenced(invitation=after, number=number)


def _is_reviewed(ctx: UnitContext, invitation: Invitation) -> bool:
    """Return whether an earlier attempt has arrived after all: its link was used to write a review."""
    if invitation.attempts < 2:  # nobody has the link before the first attempt
        return False
    if ctx.store.reviews.of_invitation(invitation.shop_number, invitation.invite_id) is None:
        return False
    return may_have_arrived(ctx.store.invitations.history(invitation))


def _is_recently_invited(ctx: UnitContext, invitation: Invitation, frequency_days: int) -> bool:
    """Return whether the shop has handed over another invitation to this address too recently (ADR-47).

    The fence's lock of the recipient keeps another hand-over from being missed. One that an operator had sent at once,
    or once more, goes all the same.
    """
    recipient = (invitation.shop_number, invitation.address_hash)
    contacts = ctx.store.invitations.contacts([recipient]).get(recipient, ())
    others = [each for each in contacts if each.handed_over and each.invite_id != invitation.invite_id]
    if not is_too_soon(frequency_days, others, ctx.now):
        return False
    return all(change.reason is not Reason.OPERATOR for change in ctx.store.invitations.history(invitation))


def _undo(ctx: UnitContext, ours: Invitation, reason: Reason, fault: str) -> Invitation:
    """Schedule the invitation for another attempt; a mark that cannot be written does not count as an attempt."""
    if reason is Reason.MARK_UNWRITTEN:
        due_at = ctx.now + backoff(1, jitter=0)
        return record_outcome(ctx, ours, State.SCHEDULED, reason, due_at=due_at, reply=fault)
    return schedule_retry(ctx, ours, reason, fault)


def _record(ctx: UnitContext, ours: Invitation, answer: Answer) -> Invitation:
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
