"""The steps of deliveries that wait for storage and the high-water mark. ADR-7, ADR-49.

Steps of several deliveries share one transaction, and one write of the mark. A `Committer` offers them to one delivery.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import groupby
from typing import Protocol, TypeAlias

import attrs

from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.domain.handovers import HandOver
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import MailItem, Notice
from reviewinvite_core.ports import Done, Failed, Outcome, StopSignal
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest, fence_all
from reviewinvite_core.usecases.delivery.outcomes import OutcomeRequest, record_all
from reviewinvite_core.usecases.delivery.relay import note_answers
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, read_high_water_mark

_Results: TypeAlias = tuple[Sequence[MailItem], Sequence[Fenced]]

TryAgain: TypeAlias = Callable[[StorageUnavailable], Awaitable[bool]]
"""Called while storage is unavailable; waits, and returns whether to try again."""


class HighWaterMarkUnread(Exception):
    """The high-water mark cannot be compared, so nothing may pass; `why` says what to do about it."""

    def __init__(self, why: Exception) -> None:
        super().__init__(str(why))
        self.why = why


class Committer(Protocol):
    """Commits the steps of deliveries."""

    def approaching_the_fence(self) -> AbstractContextManager[object]:
        """Return a context in which a delivery is on its way to the fence."""

    async def fence(self, request: FenceRequest) -> Fenced:
        """Pass the fence and write the high-water mark; both are durable on return.

        Raises: `HighWaterMarkUnread`, with nothing changed; what the fence raises; `StorageUnavailable`.
        """

    async def record(self, request: OutcomeRequest, *, queued: Callable[[], None], try_again: TryAgain) -> MailItem:
        """Record an outcome and return the item as it is afterwards; durable on return.

        `queued` is called when no fence requested later can be committed before the outcome: then the delivery's
        session may carry the next message. It may be called again after each further try.

        Raises: what the step raises; `StorageUnavailable` once `try_again` returns False.
        """

    async def wait(self, stop: StopSignal, seconds: float) -> bool:
        """Wait up to `seconds`; return whether a stop was requested."""


@attrs.frozen(kw_only=True)
class Requests:
    """What several deliveries want to be committed; outcomes come before fences."""

    outcomes: tuple[OutcomeRequest, ...] = ()
    fences: tuple[FenceRequest, ...] = ()


@attrs.frozen(kw_only=True)
class Outcomes:
    """The result of each request, in their order."""

    outcomes: list[Outcome]
    fences: list[Outcome]


class JointSteps(Protocol):
    """Runs the steps of several deliveries together."""

    def commit(self, requests: Requests, *, begin: Callable[[], object] = ...) -> Outcomes:
        """Read the high-water mark if there are fences, call `begin`, and commit all that is requested.

        Raises: only what `begin` raises; then nothing is committed.
        """

    def advance(self, fenced: list[Outcome]) -> list[Outcome]:
        """Write the high-water mark for all that have passed the fence."""


@attrs.frozen
class JointCommit:
    """Runs steps on the calling thread, which waits for locks and for the disk. Implements `JointSteps`.

    `restore_guard` is None if storage does not outlive the process.
    """

    _transactions: TransactionRunner
    _restore_guard: RestoreGuard | None

    def commit(self, requests: Requests, *, begin: Callable[[], object] = lambda: None) -> Outcomes:
        """Commit outcomes, then fences, in one unit of work; return the result of each when they are durable.

        `begin` is called between the reading of the high-water mark and the unit of work. If the unit fails, but
        storage is available, each is committed in a unit of its own: so one that raises harms no other. Only a
        transaction of which nothing was stored fails otherwise than by `StorageUnavailable`.

        Raises: only what `begin` raises; then nothing is committed.
        """
        fences, unread = self._with_high_water_mark(requests.fences)
        begin()
        if unread:
            alone = self.commit(Requests(outcomes=requests.outcomes)) if requests.outcomes else None
            return Outcomes(outcomes=alone.outcomes if alone else [], fences=[Failed(unread) for _ in requests.fences])
        try:
            recorded, fenced = self._run(requests.outcomes, fences)
        except BaseException as error:
            if isinstance(error, StorageUnavailable) or len(requests.outcomes) + len(fences) == 1:
                failed = Failed(error)
                return Outcomes(outcomes=[failed for _ in requests.outcomes], fences=[failed for _ in fences])
            recorded_alone = [self._alone(outcome=each) for each in requests.outcomes]
            away = next((each for each in recorded_alone if is_storage_away(each)), None)  # no fence may overtake it
            return Outcomes(outcomes=recorded_alone, fences=[away or self._alone(fence=each) for each in fences])
        return Outcomes(outcomes=[Done(each) for each in recorded], fences=[Done(each) for each in fenced])

    def advance(self, fenced: Sequence[Outcome]) -> list[Outcome]:
        """Write the high-water mark once for all that have passed the fence; durable on return.

        If it cannot be written, the results of those say why, and nothing of them may leave.
        """
        passed = [each for each in map(_passed, fenced) if each]
        if self._restore_guard is None or not passed:
            return list(fenced)
        try:
            self._restore_guard.store.advance([_hand_over(each) for each in passed])
        except Exception as error:
            unwritten = ((outcome, _passed(outcome)) for outcome in fenced)
            return [Done(attrs.evolve(each, unwritten=error)) if each else outcome for outcome, each in unwritten]
        except BaseException as error:  # it belongs to the deliveries
            return [Failed(error) if _passed(outcome) else outcome for outcome in fenced]
        return list(fenced)

    def _with_high_water_mark(
        self, fences: Sequence[FenceRequest]
    ) -> tuple[Sequence[FenceRequest], BaseException | None]:
        """Return the fences with the high-water mark, read before their unit of work begins; or why it cannot be."""
        if not fences:
            return (), None
        try:
            high_water_mark = read_high_water_mark(self._transactions, self._restore_guard)
        except ConfigurationError as why:
            return (), HighWaterMarkUnread(why)
        except BaseException as error:
            return (), error
        return [attrs.evolve(each, high_water_mark=high_water_mark) for each in fences], None

    def _alone(self, *, outcome: OutcomeRequest | None = None, fence: FenceRequest | None = None) -> Outcome:
        try:
            recorded, fenced = self._run([outcome] if outcome else [], [fence] if fence else [])
        except BaseException as error:
            return Failed(error)
        return Done([*recorded, *fenced][0])

    def _run(self, outcomes: Sequence[OutcomeRequest], fences: Sequence[FenceRequest]) -> _Results:
        locks = {each.item.lock for each in outcomes} | {lock for each in fences for lock in each.locks}

        def step(ctx: UnitContext) -> _Results:
            recorded, fenced = list(_recorded(ctx, outcomes)), fence_all(ctx, fences)
            note_answers(ctx, outcomes)
            return recorded, fenced

        return self._transactions.run_batched(step, locks=frozenset(locks))


def _recorded(ctx: UnitContext, requests: Sequence[OutcomeRequest]) -> Iterator[MailItem]:
    """Record outcomes in order, neighbouring answers of the mail server together."""
    for is_answer, those in groupby(requests, lambda each: each.step is None):
        if is_answer:
            yield from record_all(ctx, [(each.item, each.answer) for each in those])
        else:
            yield from (each.step(ctx) for each in those if each.step)


def _passed(outcome: Outcome) -> Fenced | None:
    """Return what has passed the fence, or None if this has not."""
    fenced = outcome.result if isinstance(outcome, Done) else None
    return fenced if isinstance(fenced, Fenced) and fenced.number is not None else None


def _hand_over(fenced: Fenced) -> HandOver:
    (shop_number, item_id), item = fenced.item.key, fenced.item
    return HandOver(
        number=fenced.number or 0,
        shop_number=shop_number,
        invite_id=item_id,
        scheduled_for=item.scheduled_for,
        at=item.changed_at,
    )


@attrs.frozen
class DirectCommitter:
    """Commits each step on the calling thread, which waits: for pools whose workers do not share an event loop.

    Implements `Committer`.
    """

    _joint: JointSteps

    def approaching_the_fence(self) -> AbstractContextManager[object]:
        return nullcontext()

    async def fence(self, request: FenceRequest) -> Fenced:
        committed = self._joint.commit(Requests(fences=(request,)))
        (fenced,) = self._joint.advance(committed.fences)
        return unwrap_fenced(fenced)

    async def record(self, request: OutcomeRequest, *, queued: Callable[[], None], try_again: TryAgain) -> MailItem:
        while True:
            (outcome,) = self._joint.commit(Requests(outcomes=(request,))).outcomes
            match outcome:
                case Failed(StorageUnavailable() as away) if await try_again(away):
                    continue
            queued()
            return unwrap_recorded(outcome)

    async def wait(self, stop: StopSignal, seconds: float) -> bool:
        return stop.wait(seconds)


def is_storage_away(outcome: Outcome) -> bool:
    """Return whether a step failed because storage was unavailable."""
    return isinstance(outcome, Failed) and isinstance(outcome.error, StorageUnavailable)


def unwrap_fenced(outcome: Outcome) -> Fenced:
    """Return the result of a fence, or raise its error."""
    result = _unwrapped(outcome)
    if not isinstance(result, Fenced):
        raise TypeError(type(result))
    return result


def unwrap_recorded(outcome: Outcome) -> MailItem:
    """Return the result of recording an outcome, or raise its error."""
    result = _unwrapped(outcome)
    if not isinstance(result, Invitation | Notice):
        raise TypeError(type(result))
    return result


def _unwrapped(outcome: Outcome) -> object:
    if isinstance(outcome, Failed):
        raise outcome.error
    return outcome.result
