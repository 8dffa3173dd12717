"""Gather what deliveries want to be committed, so that many share a transaction and a write of the high-water mark.

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
all if no delivery is on its way. While one commit is running, requests collect for the next one. The high-water mark
is written while the next commit may already run.

**Who waits for whom.** A session begins its next message when the outcome of its last one is queued here. Outcomes are
taken before fences, always all of them, and into the same or an earlier unit of work. So the fence of a session's next
message is never durable before the outcome of its last one: storage never shows more messages in hand-over than there
are sessions. While an outcome that storage could not take is being retried, fences wait. They also wait for a second
after storage could not take one, so that an outage does not use up all that is claimed.

**A high-water mark that hangs.** It is read before a unit of work with fences begins. If that takes longer than a
second, the outcomes go without the fences, which wait until it has been read.

**What fails.** `committer.JointCommit` runs what is taken together. If the unit fails although storage is
available, each request is run alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

import attrs

from reviewinvite_core.adapters import daemon_threads
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.ports import Failed, Outcome, StopSignal
from reviewinvite_core.usecases.delivery.committer import (
    JointSteps,
    Outcomes,
    Requests,
    TryAgain,
    is_storage_away,
    unwrap_fenced,
    unwrap_recorded,
)
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest
from reviewinvite_core.usecases.delivery.outcomes import OutcomeRequest

R = TypeVar("R")

MOST_TURNS = 3  # of the loop, for other sessions to join
OUTCOME_SECONDS = 0.01  # an outcome waits this long for a fence
MOST_AT_ONCE = 256  # as in a group commit
HIGH_WATER_MARK_SECONDS = 1.0  # outcomes wait this long for it to be read
AWAY_SECONDS = 1.0  # fences wait this long after storage could not take one
POLL_SECONDS = 0.1  # how often a stop is checked for during a wait


@attrs.frozen(eq=False)
class _Waiting(Generic[R]):
    request: R
    answer: asyncio.Future[Outcome]


class _HighWaterMarkOverdue(Exception):
    """The outcomes of a commit have gone without its fences, as the high-water mark could not be read in time."""


class _Start:
    """Decides, once, whether a commit begins or is overdue; used on the loop and on the thread that commits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._has_begun: bool | None = None  # or None until it is decided

    def begin(self) -> None:
        """Let the commit begin.

        Raises: `_HighWaterMarkOverdue` if it may not begin any more.
        """
        if not self._decide(begun=True):
            raise _HighWaterMarkOverdue

    def give_up(self) -> bool:
        """Keep the commit from beginning; return whether that was in time."""
        return not self._decide(begun=False)

    def _decide(self, *, begun: bool) -> bool:
        with self._lock:
            if self._has_begun is None:
                self._has_begun = begun
            return self._has_begun


@attrs.define(eq=False)
class _Batch:
    """What is committed together."""

    outcomes: Sequence[_Waiting[OutcomeRequest]]
    fences: Sequence[_Waiting[FenceRequest]]
    start: _Start = attrs.field(factory=_Start)
    overdue: asyncio.TimerHandle | None = None

    @property
    def requests(self) -> Requests:
        """What the sessions want of it."""
        return Requests(
            outcomes=tuple(each.request for each in self.outcomes), fences=tuple(each.request for each in self.fences)
        )

    def failed(self, error: BaseException) -> Outcomes:
        """Return that each of them has failed."""
        failed = Failed(error)
        return Outcomes(outcomes=[failed] * len(self.outcomes), fences=[failed] * len(self.fences))


class CommitGatherer:
    """Gathers the requests of the deliveries of one event loop; use it on that loop only.

    Implements `committer.Committer`.
    """

    def __init__(
        self,
        joint: JointSteps,
        *,
        outcome_seconds: float = OUTCOME_SECONDS,
        high_water_mark_seconds: float = HIGH_WATER_MARK_SECONDS,
        away_seconds: float = AWAY_SECONDS,
    ) -> None:
        """Commit through `joint`; an outcome waits at most `outcome_seconds` for a fence.

        An outcome waits at most `high_water_mark_seconds` for the high-water mark to be read, and fences wait for
        `away_seconds` after storage could not take one.
        """
        self._joint = joint
        self._outcome_seconds = outcome_seconds
        self._high_water_mark_seconds = high_water_mark_seconds
        self._away_seconds = away_seconds
        self._approaching = 0  # deliveries on their way to the fence
        self._outcomes: list[_Waiting[OutcomeRequest]] = []
        self._fences: list[_Waiting[FenceRequest]] = []
        self._held_up = 0
        """Reasons for fences to wait: outcomes being retried, storage that is away, an unread high-water mark."""
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
            self._consider_soon()  # it may have been the one that others waited for

    async def fence(self, request: FenceRequest) -> Fenced:
        return unwrap_fenced(await self._ask(self._fences, request))

    async def record(self, request: OutcomeRequest, *, queued: Callable[[], None], try_again: TryAgain) -> MailItem:
        while True:
            answer = self._ask(self._outcomes, request)
            queued()
            outcome = await answer
            if not isinstance(outcome, Failed) or not isinstance(outcome.error, StorageUnavailable):
                return unwrap_recorded(outcome)
            try:  # fences have been held up since `_report`
                is_next = await try_again(outcome.error)
            finally:
                self._let_fences_go()
            if not is_next:
                raise outcome.error

    async def wait(self, stop: StopSignal, seconds: float) -> bool:
        until = asyncio.get_running_loop().time() + seconds
        while not stop.is_set() and (left := until - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(min(left, POLL_SECONDS))  # no thread: there may be none to be had
        return stop.is_set()

    def _ask(self, waiting: list[_Waiting[R]], request: R) -> asyncio.Future[Outcome]:
        answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        waiting.append(_Waiting(request, answer))
        self._consider_soon()
        return answer

    # --- when to commit

    @property
    def _may_fence(self) -> bool:
        """Whether a fence waits that nothing holds up."""
        return bool(self._fences) and not self._held_up

    def _let_fences_go(self) -> None:
        self._held_up -= 1
        self._consider_soon()

    def _consider_soon(self) -> None:
        if self._turns is None and not self._is_committing and (self._outcomes or self._may_fence):
            self._turns = 0
            asyncio.get_running_loop().call_soon(self._consider)

    def _consider(self) -> None:
        """Commit what waits, or give others another turn to join, or wait for a fence."""
        loop = asyncio.get_running_loop()
        turns, self._turns = self._turns or 0, None
        may_join = self._approaching and turns < MOST_TURNS if self._may_fence else not turns
        if may_join and len(self._fences) < MOST_AT_ONCE:  # an outcome's session may be beginning its next message
            self._turns = turns + 1
            loop.call_soon(self._consider)
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
        loop = asyncio.get_running_loop()
        batch = _Batch(outcomes, fences)
        batch.overdue = loop.call_later(self._high_water_mark_seconds, self._go_without_fences, batch)
        try:
            daemon_threads.start(lambda: self._run(batch, loop))
        except Exception as error:  # no thread is to be had
            failed = batch.failed(StorageUnavailable(str(error)))
            self._report(batch, failed)
            _resolve(fences, failed.fences)

    def _run(self, batch: _Batch, loop: asyncio.AbstractEventLoop) -> None:
        """Commit on a thread of its own, and write the high-water mark."""

        def on_loop(function: Callable[[], None]) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(function)

        try:
            committed = self._joint.commit(batch.requests, begin=batch.start.begin)
        except _HighWaterMarkOverdue:
            on_loop(lambda: self._take_back(batch.fences))
            return
        except BaseException as error:
            committed = batch.failed(error)
        on_loop(lambda: self._report(batch, committed))
        if not batch.fences:
            return
        try:
            fenced = self._joint.advance(committed.fences)
        except BaseException as error:
            fenced = batch.failed(error).fences
        on_loop(lambda: _resolve(batch.fences, fenced))

    def _report(self, batch: _Batch, results: Outcomes) -> None:
        """Tell the sessions what is durable, and go on with what has come meanwhile."""
        if batch.overdue:
            batch.overdue.cancel()
        self._is_committing = False
        for each, result in zip(batch.outcomes, results.outcomes, strict=True):
            if is_storage_away(result) and not each.answer.done():
                self._held_up += 1  # no fence may overtake this outcome
        if any(map(is_storage_away, results.fences)):
            self._held_up += 1
            asyncio.get_running_loop().call_later(self._away_seconds, self._let_fences_go)
        _resolve(batch.outcomes, results.outcomes)
        self._consider_soon()

    def _go_without_fences(self, batch: _Batch) -> None:
        """Commit outcomes without the fences that they were to go with, as long as the high-water mark is not read."""
        if batch.start.give_up():
            self._held_up += 1
            self._outcomes = [*batch.outcomes, *self._outcomes]
            self._is_committing = False
            self._consider_soon()

    def _take_back(self, fences: Sequence[_Waiting[FenceRequest]]) -> None:
        """Let fences wait again, now that the high-water mark has been read after all."""
        self._fences = [*fences, *self._fences]
        self._let_fences_go()


def _resolve(waiting: Sequence[_Waiting[R]], results: Sequence[Outcome]) -> None:
    for each, result in zip(waiting, results, strict=True):
        if not each.answer.done():  # or the delivery was cancelled
            each.answer.set_result(result)
