"""Deliver one message to the mail server: stage, fence, commit, record. Spec: §6, ADR-7.

Each step that touches storage is a separate unit of work, durable before the next one begins. So a crash at any point
leaves a state from which nothing is sent twice and nothing is lost silently.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol, runtime_checkable

import attrs

from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.domain.frequency import recipient_lock
from reviewinvite_core.domain.handovers import HandOver, host_lock
from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    Invitation,
    invitation_lock,
)
from reviewinvite_core.domain.timing import backoff
from reviewinvite_core.ports import (
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
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.claim import Assignment
from reviewinvite_core.usecases.delivery.fence import Fenced, fence
from reviewinvite_core.usecases.delivery.outcomes import Answer, record_answer, record_outcome, schedule_retry
from reviewinvite_core.usecases.delivery.restore_guard import (
    RestoreGuard,
    read_high_water_mark,
)

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


@runtime_checkable
class StopSignal(Protocol):
    """Stop signal, for example a `threading.Event`."""

    def is_set(self) -> bool:
        """Return whether a stop was requested."""

    def wait(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds; return whether a stop was requested."""


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
    """Delivers messages, on any number of threads at once."""

    _transactions: TransactionRunner
    _config: DeliveryConfig
    _stop: StopSignal
    _on_trouble: Callable[[StorageUnavailable], None]

    def deliver(self, assignment: Assignment, begun_by: datetime) -> DeliveryResult:
        """Deliver a letter, and record the mail server's answer. Never raises an `Exception`.

        `begun_by` is the latest instant, by this machine's clock, at which enough of the lease is left to begin.
        """
        ours = assignment.invitation
        try:
            if self._config.clock.now() >= begun_by:
                return DeliveryResult(invitation=self._record(ours, State.SCHEDULED, Reason.LEASE_EXPIRED))
            return self._bring(assignment)
        except Exception as trouble:
            return self._give_back(ours, Reason.FAULT, trouble)

    def _bring(self, assignment: Assignment) -> DeliveryResult:
        ours = assignment.invitation
        message = _render(self._config, assignment.letter)
        if message is None:
            return DeliveryResult(invitation=self._record(ours, State.REJECTED, Reason.NOT_RENDERABLE))
        staged = self._config.mailer.stage(message)
        if isinstance(staged, Unreachable | RefusedForNow | Refused):
            return DeliveryResult(invitation=self._keep(ours, staged))
        try:
            fenced = self._pass_fence(ours)
        except BaseException:
            staged.abandon()
            raise
        if fenced.number is None:
            staged.abandon()
            return DeliveryResult(invitation=fenced.invitation, trouble=fenced.trouble)
        return self._let_out(staged, fenced.invitation, fenced.number)

    def _pass_fence(self, ours: Invitation) -> Fenced:
        if self._stop.is_set():
            return Fenced(invitation=self._record(ours, State.SCHEDULED, Reason.SHUTDOWN))
        try:
            high_water_mark = read_high_water_mark(self._transactions, self._config.restore_guard)
        except ConfigurationError as why:
            return Fenced(invitation=self._record(ours, State.SCHEDULED, Reason.PAUSED), trouble=why)
        locks = {invitation_lock(ours.invite_id), recipient_lock(ours.shop_number, ours.address_hash)}
        locks |= {host_lock(high_water_mark.mark.host)} if high_water_mark else set()
        return self._transactions.run_batched(lambda ctx: fence(ctx, ours, high_water_mark), locks=frozenset(locks))

    def _let_out(self, staged: Staged, fenced: Invitation, number: int) -> DeliveryResult:
        """Write the high-water mark, then transmit the end; from then on the message may have been sent."""
        try:
            if self._config.restore_guard:
                self._config.restore_guard.store.advance(_hand_over(fenced, number))
        except Exception as trouble:
            staged.abandon()
            reason = Reason.MARK_UNWRITTEN if isinstance(trouble, HighWaterMarkUnwritten) else Reason.FAULT
            return self._give_back(fenced, reason, trouble)
        except BaseException:
            staged.abandon()
            raise
        return self._await_answer(staged, fenced)

    def _await_answer(self, staged: Staged, fenced: Invitation) -> DeliveryResult:
        """Transmit the end. From now on, the message never counts as unsent, whatever happens."""
        answer: Answer = AnswerLost()
        trouble: Exception | None = None
        try:
            answer = staged.commit()
        except Exception as fault:
            trouble = fault
        try:
            return DeliveryResult(invitation=self._keep(fenced, answer), trouble=trouble)
        except Exception as fault:
            return DeliveryResult(invitation=fenced, trouble=trouble or fault)

    def _keep(self, ours: Invitation, answer: Answer) -> Invitation:
        """Record the answer. Only this process knows it, so storage is retried until the lease ends."""
        lease = ours.claim.lease_until - ours.changed_at if ours.claim else timedelta(0)
        for _ in range(int(lease.total_seconds() / PAUSE_SECONDS)):
            try:
                return self._step(ours, lambda ctx: record_answer(ctx, ours, answer))
            except StorageUnavailable as trouble:
                self._on_trouble(trouble)
                if self._stop.wait(PAUSE_SECONDS):
                    break
        return self._step(ours, lambda ctx: record_answer(ctx, ours, answer))

    def _record(self, ours: Invitation, to: State, reason: Reason) -> Invitation:
        return self._step(ours, lambda ctx: record_outcome(ctx, ours, to, reason))

    def _give_back(self, ours: Invitation, reason: Reason, trouble: Exception) -> DeliveryResult:
        """Release an invitation for a later attempt; it was certainly not sent, because of an error on our side."""
        left = ours
        # The cause says more than a fault here. An invitation that is not released is free when its lease ends, unless
        # it has passed the fence: then it becomes uncertain, as nobody else can know that it was not sent.
        with suppress(Exception):
            left = self._step(ours, lambda ctx: _undo(ctx, ours, reason, type(trouble).__name__))
        return DeliveryResult(invitation=left, trouble=trouble)

    def _step(self, ours: Invitation, step: Callable[[UnitContext], Invitation]) -> Invitation:
        return self._transactions.run_batched(step, locks=frozenset({invitation_lock(ours.invite_id)}))


def _render(config: DeliveryConfig, letter: Letter | None) -> Message | None:
    if letter is None:
        return None
    try:
        return config.renderer.render(letter)
    except NotRenderable:
        return None


def _hand_over(fenced: Invitation, number: int) -> HandOver:
    return HandOver(
        number=number,
        shop_number=fenced.shop_number,
        invite_id=fenced.invite_id,
        scheduled_for=fenced.scheduled_for,
        at=fenced.changed_at,
    )


def _undo(ctx: UnitContext, ours: Invitation, reason: Reason, fault: str) -> Invitation:
    """Schedule the invitation for another attempt; a mark that cannot be written does not count as an attempt."""
    if reason is Reason.MARK_UNWRITTEN:
        due_at = ctx.now + backoff(1, jitter=0)
        return record_outcome(ctx, ours, State.SCHEDULED, reason, due_at=due_at, reply=fault)
    return schedule_retry(ctx, ours, reason, fault)
