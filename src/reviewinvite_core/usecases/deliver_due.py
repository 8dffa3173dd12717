"""Deliver what is due: claim, stage, fence, commit, record. Spec: §3, §6, ADR-7.

Each step that touches storage is a unit of work of its own and durable before the next one begins, so that a
crash at any point leaves a state from which nothing is sent twice and nothing is lost in silence.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import OVERDUE_AFTER, RETRIES_LAST, Claim, Invitation, Reason, State
from reviewinvite_core.domain.links import Purpose, link_token
from reviewinvite_core.domain.sealing import AddressUnreadable
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
from reviewinvite_core.usecases.work import Perform, Work

Answer: TypeAlias = Accepted | Refused | RefusedForNow | AnswerLost | Unreachable

PAUSE_SECONDS = 1.0  # before storage that was away is asked again
LATE_COMMITS = timedelta(minutes=1)  # a report may be stored so long after the instant at which it was due


@attrs.frozen(kw_only=True)
class PostOffice:
    """What a delivery needs beside storage: how letters become messages, who takes them, and where links lead."""

    renderer: Renderer
    mailer: Mailer
    base_url: str


@attrs.define
class Search:
    """From which due time on a worker looks for what is due: what inactive shops have waiting is not met each time.

    What is to be sent and lies before it, since its shop is active again or another worker gave it back, is found
    once the search begins anew.
    """

    since: datetime | None = None

    def begin_anew(self) -> None:
        """Look through all that is due once more."""
        self.since = None


class Stop(Protocol):
    """A wish to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Whether it was made."""
        ...

    def wait(self, timeout: float) -> bool:
        """Wait for it for so many seconds; whether it was made."""
        ...


@attrs.frozen(kw_only=True)
class Assignment:
    """An invitation in our hands, and its letter, unless the address is gone or cannot be read."""

    invitation: Invitation
    letter: Letter | None


def deliver_due(
    perform: Perform,
    office: PostOffice,
    stop: Stop,
    *,
    most: int = 50,
    search: Search | None = None,
    on_trouble: Callable[[StorageUnavailable], None] = lambda _: None,
) -> Generator[Invitation, None, None]:
    """Deliver up to `most` due invitations; yields each as it was left, as soon as it was.

    All that is due is looked through, unless an earlier call has taken `search` further.
    What is claimed and not begun is given back when `stop` is set, a fault ends it or nobody asks for more.
    `on_trouble` is told when an answer has to wait for storage.
    """
    courier = _Courier(perform, office, stop, on_trouble)
    search = search or Search()
    since = search.since
    assignments, search.since = perform(lambda work: _claim(work, office, most, since))
    unbegun = deque(assignments)
    try:
        while unbegun and not stop.is_set():
            yield courier.deliver(unbegun.popleft())
    except BaseException:
        search.begin_anew()
        with suppress(Exception):  # what led here says more; and what stays claimed is free when its lease ends
            perform(lambda work: _give_back(work, unbegun))
        raise
    yield from perform(lambda work: _give_back(work, unbegun))


def _give_back(work: Work, unbegun: Iterable[Assignment]) -> Sequence[Invitation]:
    return [_settle(work, each.invitation, State.SCHEDULED, Reason.SHUTDOWN) for each in unbegun]


@attrs.frozen
class _Courier:
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
            return perform(lambda work: _settle(work, ours, State.REJECTED, Reason.NOT_RENDERABLE))
        staged = self._office.mailer.stage(message)
        if isinstance(staged, Unreachable | RefusedForNow | Refused):
            return self._keep(ours, staged)
        try:
            fenced = perform(lambda work: _fence(work, ours))
        except BaseException:
            staged.abandon()
            raise
        if fenced.state is not State.HANDING_OVER or not _same_claim(fenced, ours):  # another worker may be past it
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


def _claim(work: Work, office: PostOffice, most: int, since: datetime | None) -> tuple[Sequence[Assignment], datetime]:
    """Take due invitations into our hands until the lease ends; also, where to look for the next ones.

    What is overdue is never taken, even before it has expired.
    """
    earliest, recent = work.now - OVERDUE_AFTER, work.now - LATE_COMMITS
    found = work.store.invitations.due(max(earliest, min(since or earliest, recent)), work.now, most)
    assignments = []
    for due in found:
        claim = Claim(token=work.entropy.draw(16), lease_until=work.now + work.promises.lease)
        claimed = due.moved(State.CLAIMED, Reason.CLAIMED, work.now, claim=claim)
        if work.store.invitations.change(due, claimed):
            letter = _letter(work, claimed, office.base_url)
            assignments.append(Assignment(invitation=claimed, letter=letter))
    return assignments, min(found[-1].due_at, recent) if len(found) == most else recent


def _letter(work: Work, invitation: Invitation, base_url: str) -> Letter | None:
    shop = work.store.shops.by_number(invitation.shop_number)
    if shop is None or invitation.sealed_address is None:
        return None
    try:
        recipient = work.ring.open_address(invitation.sealed_address).text
    except AddressUnreadable:
        return None

    def link(path: str, purpose: Purpose) -> str:
        return f"{base_url}/{path}/{link_token(work.ring.tokens, purpose, shop.number, invitation.invite_id)}"

    return Letter(
        invite_id=invitation.invite_id,
        recipient=recipient,
        shop_name=shop.name,
        order_number=invitation.order_number,
        language=invitation.language,
        reply_to=shop.reply_to,
        review_url=link("r", Purpose.REVIEW),
        unsubscribe_url=link("u", Purpose.UNSUBSCRIBE),
        written_at=work.now,
    )


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
            return _settle(work, ours, State.SENT, Reason.ACCEPTED, reply=reply)
        case Refused(reply):
            return _settle(work, ours, State.REJECTED, Reason.REFUSED, reply=reply)
        case AnswerLost():
            return _settle(work, ours, State.UNCERTAIN, Reason.ANSWER_LOST)
        case RefusedForNow(reply):
            return _postpone(work, ours, Reason.REFUSED_FOR_NOW, reply)
        case Unreachable(cause):
            return _postpone(work, ours, Reason.UNREACHABLE, cause)


def _postpone(work: Work, ours: Invitation, reason: Reason, reply: str | None) -> Invitation:
    """Try again later, or give up after three days of trying."""
    if work.now - (ours.first_tried_at or work.now) >= RETRIES_LAST:
        return _settle(work, ours, State.REJECTED, Reason.RETRIES_EXHAUSTED, reply=reply)
    due_at = work.now + backoff(ours.attempts, jitter=work.entropy.draw(1)[0] / 255)
    return _settle(work, ours, State.SCHEDULED, reason, due_at=due_at, reply=reply)


def _settle(
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
    if not _same_claim(now, ours):
        return now
    if not now.can_move(to, reason):
        return now
    kept_claim = now.claim if to is State.UNCERTAIN else None
    after = now.moved(to, reason, work.now, claim=kept_claim, due_at=due_at, reply=reply)
    return after if work.store.invitations.change(now, after) else _current(work, ours)


def _same_claim(now: Invitation, ours: Invitation) -> bool:
    return now.claim is not None and ours.claim is not None and now.claim.token == ours.claim.token


def _current(work: Work, ours: Invitation) -> Invitation:
    return work.store.invitations.find(ours.shop_number, ours.invite_id) or ours
