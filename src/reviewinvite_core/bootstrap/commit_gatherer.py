"""Gather what deliveries want to be committed, so that many of them share one transaction and one write of the mark.

All deliveries of a process run on one event loop (ADR-49). Between two of its messages, a session wants two commits:
the *outcome* of the last message, and the *fence* of the next one. Each costs a sync of the disk, and so does the
high-water mark after a fence. The syncs take as long for sixteen sessions as for one, so it pays to let sessions that
are about to want the same go together.

    sessions, on the loop               CommitGatherer             a daemon thread          storage       mark
      |  answer of message 1: outcome        |                           |                     |            |
      |------------------------------------->| waits for a fence         |                     |            |
      |  message 2 is staged: fence          |                           |                     |            |
      |------------------------------------->| up to 3 turns of the loop |                     |            |
      |  other sessions join ... ----------->|                           |                     |            |
      |                                      |-- all outcomes, fences -->| read --------------------------->|
      |                                      |                           | one unit of work -->| fsync      |
      |<---- outcomes are durable -----------|<--------------------------|                     |            |
      |                                      |                           | advance, once ------------------>| fsync
      |<---- fences have passed -------------|<--------------------------|                     |            |
      |  end of message 2                    |                           |                     |            |

**When it goes.** The first fence waits up to three turns of the loop, while other deliveries are on their way to the
fence; with none on its way, it goes at once. An outcome waits for a fence to go with, but at most 10 ms, and not at
all if no delivery is on its way. While one commit is running, requests collect for the next one. The mark is written
while the next commit may already run.

**Who waits for whom.** A session begins its next message when the outcome of its last one is queued here. Outcomes are
taken before fences, always all of them, and into the same or an earlier unit of work. So the fence of a session's next
message is never durable before the outcome of its last one: storage never shows more messages in hand-over than there
are sessions. While an outcome that storage could not take is being retried, fences wait.

**What fails.** `usecases.delivery.joint_commit` runs what is taken together. If the unit fails although storage is
available, each request is run alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

import attrs

from reviewinvite_core.adapters import daemon_threads
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.ports import Failed, Outcome
from reviewinvite_core.usecases.delivery.committer import (
    JointSteps,
    OutcomeRequest,
    Outcomes,
    Requests,
    StopSignal,
    TryAgain,
    unwrap_fenced,
    unwrap_recorded,
)
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest

R = TypeVar("R")

MOST_TURNS = 3  # of the loop, for other sessions to join
OUTCOME_SECONDS = 0.01  # an outcome waits this long for a fence
MOST_AT_ONCE = 256  # as in a group commit


@attrs.frozen(eq=False)
class _Waiting(Generic[R]):
    request: R
    answer: asyncio.Future[Outcome]


class CommitGatherer:
    """Gathers the requests of the deliveries of one event loop; use it on that loop only.

    Implements `committer.Committer`.
    """

    def __init__(self, joint: JointSteps, *, outcome_seconds: float = OUTCOME_SECONDS) -> None:
        """Commit through `joint`; an outcome waits at most `outcome_seconds` for a fence."""
        self._joint = joint
        self._outcome_seconds = outcome_seconds
        self._approaching = 0  # deliveries on their way to the fence
        self._outcomes: list[_Waiting[OutcomeRequest]] = []
        self._fences: list[_Waiting[FenceRequest]] = []
        self._unrecorded = 0  # outcomes that storage could not take, and that are being retried
        self._turns: int | None = None  # that the loop has been given, or None if no turn is to come
        self._alarm: asyncio.TimerHandle | None = None
        self._is_committing = False

    @contextmanager
    def approaching_the_fence(self) -> Iterator[None]:
        self._approaching += 1
        try:
            yield
        finally:
            self._approaching -= 1
            self._look_soon()  # it may have been the one that others waited for

    async def fence(self, request: FenceRequest) -> Fenced:
        return unwrap_fenced(await self._ask(self._fences, request))

    async def record(self, request: OutcomeRequest, *, queued: Callable[[], None], try_again: TryAgain) -> Invitation:
        while True:
            answer = self._ask(self._outcomes, request)
            queued()
            outcome = await answer
            if not isinstance(outcome, Failed) or not isinstance(outcome.error, StorageUnavailable):
                return unwrap_recorded(outcome)
            try:  # `_settle` has counted it as unrecorded
                is_next = await try_again(outcome.error)
            finally:
                self._unrecorded -= 1
                self._look_soon()  # fences may have waited for it
            if not is_next:
                raise outcome.error

    async def wait(self, stop: StopSignal, seconds: float) -> bool:
        return await daemon_threads.call(lambda: stop.wait(seconds))

    def _ask(self, waiting: list[_Waiting[R]], request: R) -> asyncio.Future[Outcome]:
        answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        waiting.append(_Waiting(request, answer))
        self._look_soon()
        return answer

    # --- when to commit

    @property
    def _may_fence(self) -> bool:
        """Whether a fence waits, and no outcome that storage could not take comes before it."""
        return bool(self._fences) and not self._unrecorded

    def _look_soon(self) -> None:
        if self._turns is None and not self._is_committing and (self._outcomes or self._may_fence):
            self._turns = 0
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        """Commit what waits, or give others another turn to join, or wait for a fence."""
        loop = asyncio.get_running_loop()
        turns, self._turns = self._turns or 0, None
        may_join = self._approaching and turns < MOST_TURNS if self._may_fence else not turns
        if may_join and len(self._fences) < MOST_AT_ONCE:  # an outcome's session may be beginning its next message
            self._turns = turns + 1
            loop.call_soon(self._look)
        elif self._may_fence or (self._outcomes and not self._approaching):
            self._commit()
        elif self._outcomes and self._alarm is None:
            self._alarm = loop.call_later(self._outcome_seconds, self._commit)

    def _commit(self) -> None:
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None
        if self._is_committing or not (self._outcomes or self._may_fence):
            return
        outcomes, self._outcomes = self._outcomes, []
        fences: list[_Waiting[FenceRequest]] = []
        if self._may_fence:
            fences, self._fences = self._fences[:MOST_AT_ONCE], self._fences[MOST_AT_ONCE:]
        self._is_committing = True
        joint, loop = self._joint, asyncio.get_running_loop()
        requests = Requests(
            outcomes=tuple(each.request for each in outcomes), fences=tuple(each.request for each in fences)
        )

        def tell(function: Callable[[], None]) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(function)

        def commit() -> None:
            try:
                committed = joint.commit(requests)
            except BaseException as error:
                failed = Failed(error)
                committed = Outcomes(outcomes=[failed] * len(outcomes), fences=[failed] * len(fences))
            tell(lambda: self._settle(outcomes, committed.outcomes))
            if not fences:
                return
            try:
                fenced = joint.advance(committed.fences)
            except BaseException as error:
                fenced = [Failed(error)] * len(fences)
            tell(lambda: _resolve(fences, fenced))

        try:
            daemon_threads.start(commit)
        except RuntimeError as error:  # no thread is to be had
            failed = Failed(StorageUnavailable(str(error)))
            _resolve(fences, [failed] * len(fences))
            self._settle(outcomes, [failed] * len(outcomes))

    def _settle(self, outcomes: Sequence[_Waiting[OutcomeRequest]], results: Sequence[Outcome]) -> None:
        """Tell the sessions what is durable, and go on with what has come meanwhile."""
        self._is_committing = False
        away = [result for each, result in zip(outcomes, results, strict=True) if _is_to_be_retried(each, result)]
        self._unrecorded += len(away)  # no fence may overtake these outcomes
        _resolve(outcomes, results)
        self._look_soon()


def _is_to_be_retried(waiting: _Waiting[R], result: Outcome) -> bool:
    return isinstance(result, Failed) and isinstance(result.error, StorageUnavailable) and not waiting.answer.done()


def _resolve(waiting: Sequence[_Waiting[R]], results: Sequence[Outcome]) -> None:
    for each, result in zip(waiting, results, strict=True):
        if not each.answer.done():  # or the delivery was cancelled
            each.answer.set_result(result)
