"""Deliveries that tests advance step by step, so that workers interleave, and die between any two steps.

Each delivery is the real one, on a thread of its own that runs only while the test waits for it. So nothing happens at
the same time, and the same choices give the same run.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from enum import Enum, auto
from functools import partial
from typing import Generic, TypeVar

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.handovers import HandOver, HighWaterMark, RecordedHandOvers
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    HighWaterMarkStore,
    HighWaterMarkUnwritten,
    Message,
    RefusedForNow,
    Rejected,
    Unreachable,
    Work,
)
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext

T = TypeVar("T")

PATIENCE_SECONDS = 60  # for a step that only computes: longer means that it hangs


class Killed(BaseException):
    """Stands for the end of the worker's process."""


class Point(Enum):
    """A point at which a delivery waits to be advanced."""

    BEGUN = auto()
    STAGING = auto()
    READING_MARK = auto()
    COMMITTING = auto()
    COMMITTED = auto()
    MARKING = auto()
    MARKED = auto()
    BEFORE_END_OF_DATA = auto()
    AFTER_END_OF_DATA = auto()
    DONE = auto()


class LocalFault(Enum):
    """A fault on our side during a delivery."""

    NONE = auto()
    STORAGE_AWAY = auto()
    COMMIT_UNANSWERED = auto()  # storage is away, but what was to be stored is
    MARK_UNWRITTEN = auto()


ACCEPTED = Accepted("250 2.0.0")


@attrs.frozen(kw_only=True)
class MailBehaviour:
    """How the mail server treats the next message or end of data, and a fault on our side meanwhile."""

    at_stage: RefusedForNow | Rejected | Unreachable | None = None
    answer: Accepted | RefusedForNow | Rejected | AnswerLost = ACCEPTED
    fault: LocalFault = LocalFault.NONE


ACCEPTING = MailBehaviour()


class SteppedThread(Generic[T]):
    """Work on a thread of its own, which runs from point to point when it is advanced."""

    _current = threading.local()

    def __init__(self, work: Callable[[], T]) -> None:
        self.at = self.came_from = Point.BEGUN
        self.result: T | None = None
        self.broken: BaseException | None = None
        self._work = work
        self._killed = False
        self._go, self._parked = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def advance(self) -> None:
        """Run to the next point."""
        self._go.release()
        assert self._parked.acquire(timeout=PATIENCE_SECONDS), f"it hangs after {self.at}"
        if self.broken:
            raise self.broken

    def kill(self) -> None:
        """End the thread before it can change anything else."""
        self._killed = True
        while self._thread.is_alive():
            self._go.release()
            self._thread.join(timeout=0.01)

    @classmethod
    def pause(cls, point: Point) -> None:
        """Wait here, if this thread is a stepped one."""
        steps: SteppedThread[object] | None = getattr(cls._current, "steps", None)
        if steps:
            steps.came_from, steps.at = steps.at, point
            steps._parked.release()
            steps._wait()

    def _wait(self) -> None:
        self._go.acquire()
        if self._killed:
            raise Killed

    def _run(self) -> None:
        self._current.steps = self
        try:
            self._wait()
            self.result = self._work()
        except Killed:
            return
        except BaseException as broken:  # it belongs to the test
            self.broken = broken
        self.at = Point.DONE
        self._parked.release()


def run_to_end(running: Awaitable[T]) -> T:
    """Return the result of a coroutine that never waits for an event loop, as all that it awaits is done at once."""
    assert isinstance(running, Coroutine)
    try:
        running.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    message = "it waits for an event loop"
    raise AssertionError(message)


def _work_to_end(work: Work[T]) -> T:
    return run_to_end(work(lambda: None))


class SteppedPool(Generic[T]):
    """A `ports.WorkerPool` whose threads run when they are advanced."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waiting: deque[Work[T]] = deque()
        self.running: list[SteppedThread[T]] = []
        self.done: deque[T] = deque()

    def begin(self, work: Work[T], *, ahead: bool = False) -> None:
        (self.waiting.appendleft if ahead else self.waiting.append)(work)
        self._fill()

    def _fill(self) -> None:
        while self.waiting and len(self.running) < self.size:
            self.running.append(SteppedThread(partial(_work_to_end, self.waiting.popleft())))

    def advance(self, steps: SteppedThread[T]) -> None:
        """Run one thread to its next point; a finished one makes room for waiting work."""
        steps.advance()
        if steps.at is Point.DONE:
            self.running.remove(steps)
            assert steps.result is not None
            self.done.append(steps.result)
            self._fill()

    def next_done(self, seconds: float) -> T | None:  # noqa: ARG002
        """Return the next result, or None at once."""
        return self.done.popleft() if self.done else None

    def finish(self, seconds: float) -> Iterator[T]:  # noqa: ARG002
        """Yield the results there are; nothing else is finished in time."""
        self.waiting.clear()
        while self.done:
            yield self.done.popleft()

    def kill_thread(self, steps: SteppedThread[T]) -> None:
        """End one thread; its work is never finished."""
        steps.kill()
        self.running.remove(steps)
        self._fill()

    def kill(self) -> None:
        """End all threads, and drop all waiting work and results."""
        self.waiting.clear()
        self.done.clear()
        while self.running:
            self.running.pop().kill()


class ManualStop:
    """A stop signal that is set by hand; its waits take no time."""

    def __init__(self) -> None:
        self.requested = False

    def is_set(self) -> bool:
        return self.requested

    def wait(self, timeout: float) -> bool:  # noqa: ARG002
        return self.requested


class DeliveryEnvironment:
    """What deliveries work with: a transaction runner, a high-water mark and a mailer, which record what they see.

    It implements `context.TransactionRunner`, `ports.HighWaterMarkStore` and `ports.Mailer`.
    """

    def __init__(self, transactions: TransactionRunner, high_water_mark: HighWaterMarkStore) -> None:
        self.behaviour = ACCEPTING
        self.violations: list[str] = []
        self.ends_of_data: dict[str, list[Accepted | Rejected | RefusedForNow | AnswerLost | None]] = {}
        self.left: list[str] = []  # every end of data, by its invitation
        self.mail_answers: dict[str, set[type]] = {}  # before the end of data and after it
        self.faults: Counter[LocalFault] = Counter()
        self.marked: set[int] = set()  # the threads that have written it since their last end of data
        self._inner, self._high_water_mark = transactions, high_water_mark

    # --- storage

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        return self._step(lambda: self._inner.run(step, locks=locks))

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        return self._step(lambda: self._inner.run_batched(step, locks=locks))

    def _step(self, run: Callable[[], T]) -> T:
        SteppedThread.pause(Point.COMMITTING)
        if self._is_due(LocalFault.STORAGE_AWAY):
            raise StorageUnavailable("away")
        result = run()
        if self._is_due(LocalFault.COMMIT_UNANSWERED):
            raise StorageUnavailable("away")
        SteppedThread.pause(Point.COMMITTED)
        return result

    def _is_due(self, fault: LocalFault) -> bool:
        """Return whether this fault is to happen now; it happens once."""
        if self.behaviour.fault is not fault:
            return False
        self.behaviour = attrs.evolve(self.behaviour, fault=LocalFault.NONE)
        self.faults[fault] += 1
        return True

    # --- the mark

    def read(self) -> HighWaterMark | None:
        SteppedThread.pause(Point.READING_MARK)
        return self._high_water_mark.read()

    def make(self) -> HighWaterMark:
        return self._high_water_mark.make()

    def recall(self) -> RecordedHandOvers:
        return self._high_water_mark.recall()

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        SteppedThread.pause(Point.MARKING)
        if self._is_due(LocalFault.MARK_UNWRITTEN):
            raise HighWaterMarkUnwritten("it is full")
        self._high_water_mark.advance(hand_overs)
        self.marked.add(threading.get_ident())
        SteppedThread.pause(Point.MARKED)

    # --- the mail server

    async def stage(self, message: Message) -> _Staged | RefusedForNow | Rejected | Unreachable:
        SteppedThread.pause(Point.STAGING)
        invite_id = message.message_id[1:].partition("@")[0]
        refused = self.behaviour.at_stage
        if refused is not None:
            self.mail_answers.setdefault(invite_id, set()).add(type(refused))
            return refused
        return _Staged(self, invite_id)

    async def close(self) -> None:
        """Do nothing; no connection is open."""


@attrs.define
class _Staged:
    _environment: DeliveryEnvironment
    _invite_id: str
    _abandoned: bool = False

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        SteppedThread.pause(Point.BEFORE_END_OF_DATA)
        environment, earlier = self._environment, self._environment.ends_of_data.setdefault(self._invite_id, [])
        if self._abandoned:
            environment.violations.append("end of data after the message was abandoned")
        if threading.get_ident() not in environment.marked:
            environment.violations.append("end of data before the mark was written")
        environment.marked.discard(threading.get_ident())
        if not all(isinstance(answer, Rejected | RefusedForNow) for answer in earlier):
            environment.violations.append(f"end of data after {earlier}")
        earlier.append(None)
        environment.left.append(self._invite_id)
        SteppedThread.pause(Point.AFTER_END_OF_DATA)
        answer = earlier[-1] = environment.behaviour.answer
        environment.mail_answers.setdefault(self._invite_id, set()).add(type(answer))
        return answer

    def abandon(self) -> None:
        self._abandoned = True
        self._environment.marked.discard(threading.get_ident())


class InMemoryMark:
    """A `ports.HighWaterMarkStore` in memory, which outlives workers and databases; it names at most `capacity`."""

    def __init__(self, host: str = "host", *, capacity: int = 16) -> None:
        self.let_out: RecordedHandOvers | None = None
        self._host, self._capacity = host, capacity

    def read(self) -> HighWaterMark | None:
        return self.let_out.mark if self.let_out else None

    def recall(self) -> RecordedHandOvers:
        assert self.let_out is not None
        return self.let_out

    def make(self) -> HighWaterMark:
        self.let_out = self.let_out or RecordedHandOvers(mark=HighWaterMark(host=self._host, number=0))
        return self.let_out.mark

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        self.make()
        for hand_over in hand_overs:
            before = self.recall()
            if len(before.named) == self._capacity:
                before = before.compacted(self._capacity)
            mark = attrs.evolve(before.mark, number=max(hand_over.number, before.mark.number))
            self.let_out = RecordedHandOvers(mark=mark, named=(*before.named, hand_over))
