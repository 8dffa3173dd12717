"""Deliver one e-mail to the mail server: stage, fence, commit, record. Spec: §6, ADR-7.

Each step that touches storage is a separate unit of work, durable before the next one begins. So a crash at any point
leaves a state from which nothing is sent twice and nothing is lost silently.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.domain.timing import backoff
from reviewinvite_core.domain.workers import Pace
from reviewinvite_core.ports import (
    AnswerLost,
    Clock,
    HighWaterMarkUnwritten,
    Letter,
    Mailer,
    Message,
    NoticeLetter,
    NoticeRenderer,
    NotRenderable,
    RefusedForNow,
    Rejected,
    Renderer,
    Staged,
    StopSignal,
    Unreachable,
)
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.claim import Assignment
from reviewinvite_core.usecases.delivery.committer import Committer, HighWaterMarkUnread
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest
from reviewinvite_core.usecases.delivery.outcomes import Answer, OutcomeRequest, record_outcome, schedule_retry
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard

PAUSE_SECONDS = 1.0  # before unavailable storage is tried again


@attrs.frozen(kw_only=True)
class DeliveryConfig:
    """What a delivery needs besides storage: the renderers, the mailer and the base of links.

    `clock` is this machine's: it paces deliveries, but no decision depends on it (ADR-12). `restore_guard` is None if
    storage does not outlive the process.
    """

    renderer: Renderer
    notice_renderer: NoticeRenderer
    mailer: Mailer
    base_url: str
    clock: Clock
    lease: timedelta
    restore_guard: RestoreGuard | None = None
    pace: Pace = attrs.field(factory=Pace)


@attrs.frozen(kw_only=True)
class DeliveryResult:
    """Result of one delivery: the invitation or notice as it is afterwards, and the error on our side, if any.

    `token` is that of the delivery's claim: meanwhile another worker may have claimed the item with a new token.
    `seconds` is how long the delivery took.
    """

    item: MailItem
    trouble: Exception | None = None
    seconds: float | None = None
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
        item = assignment.item
        try:
            if self._config.clock.now() >= begun_by:
                return DeliveryResult(item=await self._record(item, State.SCHEDULED, Reason.LEASE_EXPIRED))
            return await self._bring(assignment, free)
        except Exception as trouble:
            return await self._give_back(item, Reason.FAULT, trouble)

    async def _bring(self, assignment: Assignment, free: Callable[[], None]) -> DeliveryResult:
        item = assignment.item
        with self._committer.approaching_the_fence():
            message = _render(self._config, assignment.letter)
            staged = await self._config.mailer.stage(message) if message else None
        if staged is None:
            return DeliveryResult(item=await self._record(item, State.REJECTED, Reason.NOT_RENDERABLE))
        if isinstance(staged, Unreachable | RefusedForNow | Rejected):
            return DeliveryResult(item=await self._keep(item, staged, free))
        try:
            fenced = await self._pass_fence(item)
        except BaseException:
            staged.abandon()
            raise
        if fenced.number is None:
            staged.abandon()
            return DeliveryResult(item=fenced.item, trouble=fenced.trouble)
        if fenced.unwritten:
            staged.abandon()
            reason = Reason.MARK_UNWRITTEN if isinstance(fenced.unwritten, HighWaterMarkUnwritten) else Reason.FAULT
            return await self._give_back(fenced.item, reason, fenced.unwritten)
        return await self._await_answer(staged, fenced, free)

    async def _pass_fence(self, item: MailItem) -> Fenced:
        """Pass the fence, then write the high-water mark: only then may the end be transmitted."""
        if self._stop.is_set():
            return Fenced(item=await self._record(item, State.SCHEDULED, Reason.SHUTDOWN))
        try:
            return await self._committer.fence(FenceRequest(item=item))
        except HighWaterMarkUnread as unread:
            return Fenced(item=await self._record(item, State.SCHEDULED, Reason.PAUSED), trouble=unread.why)

    async def _await_answer(self, staged: Staged, fenced: Fenced, free: Callable[[], None]) -> DeliveryResult:
        """Transmit the end. From now on, the message never counts as unsent, whatever happens."""
        answer: Answer = AnswerLost()
        trouble: Exception | None = None
        try:
            answer = await staged.commit()
        except Exception as fault:
            trouble = fault
        try:
            item = await self._keep(fenced.item, answer, free, is_awaited=fenced.is_awaited)
            return DeliveryResult(item=item, trouble=trouble)
        except Exception as fault:
            return DeliveryResult(item=fenced.item, trouble=trouble or fault)

    async def _keep(
        self, item: MailItem, answer: Answer, free: Callable[[], None], *, is_awaited: bool = False
    ) -> MailItem:
        """Record the answer. Only this process knows it, so storage is retried until the lease ends."""
        lease = item.claim.lease_until - item.changed_at if item.claim else timedelta(0)
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

        request = OutcomeRequest(item=item, answer=answer, is_awaited=is_awaited)
        return await self._committer.record(request, queued=free, try_again=try_again)

    async def _record(self, item: MailItem, to: State, reason: Reason) -> MailItem:
        return await self._step(item, lambda ctx: record_outcome(ctx, item, to, reason))

    async def _give_back(self, item: MailItem, reason: Reason, trouble: Exception) -> DeliveryResult:
        """Release an item for a later attempt; it was certainly not sent, because of an error on our side."""
        after = item
        # The cause says more than a fault here. One that is not released is free when its lease ends, unless
        # it has passed the fence: then it becomes uncertain, as nobody else can know that it was not sent.
        with suppress(Exception):
            after = await self._step(item, lambda ctx: _undo(ctx, item, reason, type(trouble).__name__))
        return DeliveryResult(item=after, trouble=trouble)

    async def _step(self, item: MailItem, step: Callable[[UnitContext], MailItem]) -> MailItem:
        request = OutcomeRequest(item=item, step=step)
        return await self._committer.record(request, queued=_do_nothing, try_again=_never)


def _do_nothing() -> None:
    """Serve as a callback that has no effect."""


async def _never(_: StorageUnavailable) -> bool:
    return False


def _render(config: DeliveryConfig, letter: Letter | NoticeLetter | None) -> Message | None:
    if letter is None:
        return None
    try:
        if isinstance(letter, NoticeLetter):
            return config.notice_renderer.render(letter)
        return config.renderer.render(letter)
    except NotRenderable:
        return None


def _undo(ctx: UnitContext, item: MailItem, reason: Reason, fault: str) -> MailItem:
    """Schedule it for another attempt; a mark that cannot be written does not count as an attempt."""
    if reason is Reason.MARK_UNWRITTEN:
        due_at = ctx.now + backoff(1, jitter=0)
        return record_outcome(ctx, item, State.SCHEDULED, reason, due_at=due_at, reply=fault)
    return schedule_retry(ctx, item, reason, fault)
