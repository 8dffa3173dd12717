"""Bring one message to the mail server: stage, fence, commit, record. Spec: §6, ADR-7."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import RETRIES_LAST, Invitation, Reason, State
from reviewinvite_core.domain.timing import backoff
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    Letter,
    Mailer,
    Message,
    NotRenderable,
    Refused,
    RefusedForNow,
    Renderer,
    Unreachable,
)
from reviewinvite_core.usecases.claim_due import Assignment
from reviewinvite_core.usecases.work import Perform, Work

Answer: TypeAlias = Accepted | Refused | RefusedForNow | AnswerLost | Unreachable

PAUSE_SECONDS = 1.0  # before storage that was away is asked again


@attrs.frozen(kw_only=True)
class PostOffice:
    """What a delivery needs beside storage: how letters become messages, who takes them, and where links lead."""

    renderer: Renderer
    mailer: Mailer
    base_url: str


class Stop(Protocol):
    """A wish to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Whether it was made."""
        ...

    def wait(self, timeout: float) -> bool:
        """Wait for it for so many seconds; whether it was made."""
        ...


@attrs.frozen
class Courier:
    """Brings one message after the other."""

    _perform: Perform
    _office: PostOffice
    _stop: Stop
    _on_trouble: Callable[[StorageUnavailable], None]

    def deliver(self, assignment: Assignment) -> Invitation:
        """From the letter to what the mail server's answer makes of the invitation."""
        ours, perform = assignment.invitation, self._perform
        message = _render(self._office, assignment.letter)
        if message is None:
            return perform(lambda work: settle(work, ours, State.REJECTED, Reason.NOT_RENDERABLE))
        staged = self._office.mailer.stage(message)
        if isinstance(staged, Unreachable | RefusedForNow | Refused):
            return self._keep(ours, staged)
        try:
            fenced = perform(lambda work: _fence(work, ours))
        except BaseException:
            staged.abandon()
            raise
        if fenced.state is not State.HANDING_OVER or not _sameclaim_due(fenced, ours):  # another worker may be past it
            staged.abandon()
            return fenced
        return self._keep(fenced, staged.commit())

    def _keep(self, ours: Invitation, answer: Answer) -> Invitation:
        """Record the answer. It is known to nobody else, so while the lease lasts storage is tried again for it."""
        lease = ours.claim.lease_until - ours.changed_at if ours.claim else timedelta(0)
        for _ in range(int(lease.total_seconds() / PAUSE_SECONDS)):
            try:
                return self._perform(lambda work: _record(work, ours, answer))
            except StorageUnavailable as trouble:
                self._on_trouble(trouble)
                if self._stop.wait(PAUSE_SECONDS):
                    break
        return self._perform(lambda work: _record(work, ours, answer))


def _render(office: PostOffice, letter: Letter | None) -> Message | None:
    if letter is None:
        return None
    try:
        return office.renderer.render(letter)
    except NotRenderable:
        return None


def _fence(work: Work, ours: Invitation) -> Invitation:
    """The point of no return: passed only while our claim holds and the shop is active."""
    now = _current(work, ours)
    if ours.claim is None or not now.held_by(ours.claim.token, work.now):
        return now
    shop = work.store.shops.by_number(now.shop_number)
    if shop is None or not shop.active:
        after = now.moved(State.SCHEDULED, Reason.SHOP_INACTIVE, work.now)
    else:
        claim = attrs.evolve(ours.claim, lease_until=work.now + work.promises.lease)
        after = now.moved(State.HANDING_OVER, Reason.FENCED, work.now, claim=claim)
    return after if work.store.invitations.change(now, after) else _current(work, ours)


def _record(work: Work, ours: Invitation, answer: Answer) -> Invitation:
    """What the mail server's answer makes of the invitation."""
    match answer:
        case Accepted(reply):
            return settle(work, ours, State.SENT, Reason.ACCEPTED, reply=reply)
        case Refused(reply):
            return settle(work, ours, State.REJECTED, Reason.REFUSED, reply=reply)
        case AnswerLost():
            return settle(work, ours, State.UNCERTAIN, Reason.ANSWER_LOST)
        case RefusedForNow(reply):
            return _postpone(work, ours, Reason.REFUSED_FOR_NOW, reply)
        case Unreachable(cause):
            return _postpone(work, ours, Reason.UNREACHABLE, cause)


def _postpone(work: Work, ours: Invitation, reason: Reason, reply: str | None) -> Invitation:
    """Try again later, or give up after three days of trying."""
    if work.now - (ours.first_tried_at or work.now) >= RETRIES_LAST:
        return settle(work, ours, State.REJECTED, Reason.RETRIES_EXHAUSTED, reply=reply)
    due_at = work.now + backoff(ours.attempts, jitter=work.entropy.draw(1)[0] / 255)
    return settle(work, ours, State.SCHEDULED, reason, due_at=due_at, reply=reply)


def settle(
    work: Work,
    ours: Invitation,
    to: State,
    reason: Reason,
    *,
    due_at: datetime | None = None,
    reply: str | None = None,
) -> Invitation:
    """Move the invitation if it is still ours; a late answer still wins over `uncertain`. Gives it as it is now."""
    now = _current(work, ours)
    if not _sameclaim_due(now, ours):
        return now
    if not now.can_move(to, reason):
        return now
    kept_claim = now.claim if to is State.UNCERTAIN else None
    after = now.moved(to, reason, work.now, claim=kept_claim, due_at=due_at, reply=reply)
    return after if work.store.invitations.change(now, after) else _current(work, ours)


def _sameclaim_due(now: Invitation, ours: Invitation) -> bool:
    return now.claim is not None and ours.claim is not None and now.claim.token == ours.claim.token


def _current(work: Work, ours: Invitation) -> Invitation:
    return work.store.invitations.find(ours.shop_number, ours.invite_id) or ours
