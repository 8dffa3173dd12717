"""Deliveries that go on step by step, as a test wants it: workers interleave, and die between any two steps.

Each delivery is the real one, on a thread of its own that runs only while the test waits for it. So nothing happens at
the same time, and the same choices give the same run.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum, auto
from typing import Generic, TypeVar

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.handovers import Mark
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    HandoverMark,
    MarkUnwritten,
    Message,
    Refused,
    RefusedForNow,
    Unreachable,
)
from reviewinvite_core.usecases.work import Perform, Work

T = TypeVar("T")

PATIENCE_SECONDS = 60  # for a step that only computes: longer means that it hangs


class Killed(BaseException):
    """The worker is killed here."""


class Point(Enum):
    """Where a delivery waits to be told to go on."""

    BEGUN = auto()
    STAGING = auto()
    READING_MARK = auto()
    COMMITTING = auto()
    COMMITTED = auto()
    MARKING = auto()
    MARKED = auto()
    BEFORE_THE_DOT = auto()
    AFTER_THE_DOT = auto()
    DONE = auto()


class Trouble(Enum):
    """What goes wrong in this house as a delivery goes on."""

    NONE = auto()
    STORAGE_AWAY = auto()
    COMMIT_UNANSWERED = auto()  # storage is away, but what was to be stored is
    MARK_UNWRITTEN = auto()


TAKEN = Accepted("250 2.0.0")


@attrs.frozen(kw_only=True)
class Mood:
    """How the mail server treats the next message, or the next dot, and what goes wrong in this house meanwhile."""

    at_stage: RefusedForNow | Refused | Unreachable | None = None
    answer: Accepted | RefusedForNow | Refused | AnswerLost = TAKEN
    trouble: Trouble = Trouble.NONE


KIND = Mood()


class Steps(Generic[T]):
    """Work on a thread of its own, which goes from point to point when it is told to."""

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

    def go_on(self) -> None:
        """To the next point."""
        self._go.release()
        assert self._parked.acquire(timeout=PATIENCE_SECONDS), f"it hangs after {self.at}"
        if self.broken:
            raise self.broken

    def kill(self) -> None:
        """Nothing of it runs any more that could change anything."""
        self._killed = True
        while self._thread.is_alive():
            self._go.release()
            self._thread.join(timeout=0.01)

    @classmethod
    def pause(cls, point: Point) -> None:
        """Wait here, where this runs step by step."""
        steps: Steps[object] | None = getattr(cls._current, "steps", None)
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


class SteppingCrew(Generic[T]):
    """See `ports.Crew`; its hands go on when they are told to."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waiting: deque[Callable[[], T]] = deque()
        self.at_hand: list[Steps[T]] = []
        self.done: deque[T] = deque()

    def begin(self, work: Callable[[], T]) -> None:
        """See `ports.Crew`."""
        self.waiting.append(work)
        self._fill()

    def _fill(self) -> None:
        while self.waiting and len(self.at_hand) < self.size:
            self.at_hand.append(Steps(self.waiting.popleft()))

    def go_on(self, steps: Steps[T]) -> None:
        """To the next point; what is done frees a hand."""
        steps.go_on()
        if steps.at is Point.DONE:
            self.at_hand.remove(steps)
            assert steps.result is not None
            self.done.append(steps.result)
            self._fill()

    def next_done(self, seconds: float) -> T | None:  # noqa: ARG002
        """See `ports.Crew`; nobody waits."""
        return self.done.popleft() if self.done else None

    def finish(self, seconds: float) -> Iterator[T]:  # noqa: ARG002
        """See `ports.Crew`; what is not done yet does not get done in time."""
        self.waiting.clear()
        while self.done:
            yield self.done.popleft()

    def kill_one(self, steps: Steps[T]) -> None:
        """It never gets done."""
        steps.kill()
        self.at_hand.remove(steps)
        self._fill()

    def kill(self) -> None:
        """With all that it has in hand."""
        self.waiting.clear()
        self.done.clear()
        while self.at_hand:
            self.at_hand.pop().kill()


class Stop:
    """See `hand_over.Stop`; nobody waits."""

    def __init__(self) -> None:
        self.wished = False

    def is_set(self) -> bool:
        return self.wished

    def wait(self, timeout: float) -> bool:  # noqa: ARG002
        return self.wished


class House:
    """What stands around the deliveries: storage and the mark, the mail server, and what it has seen."""

    def __init__(self, perform: Perform, mark: HandoverMark) -> None:
        self.mood = KIND
        self.violations: list[str] = []
        self.dots: dict[str, list[Accepted | Refused | RefusedForNow | AnswerLost | None]] = {}
        self.said: dict[str, set[type]] = {}  # before the dot and after it
        self.troubles: Counter[Trouble] = Counter()
        self.marked: set[int] = set()  # the threads that have written it since their last dot
        self._inner, self._mark = perform, mark

    # --- storage

    def __call__(self, step: Callable[[Work], T], /, *, locks: frozenset[int] | None = None) -> T:
        """See `work.Perform`."""
        return self._step(lambda: self._inner(step, locks=locks))

    def together(self, step: Callable[[Work], T], /, *, locks: frozenset[int]) -> T:
        """See `work.Perform`."""
        return self._step(lambda: self._inner.together(step, locks=locks))

    def _step(self, run: Callable[[], T]) -> T:
        Steps.pause(Point.COMMITTING)
        if self._strikes(Trouble.STORAGE_AWAY):
            raise StorageUnavailable("away")
        result = run()
        if self._strikes(Trouble.COMMIT_UNANSWERED):
            raise StorageUnavailable("away")
        Steps.pause(Point.COMMITTED)
        return result

    def _strikes(self, trouble: Trouble) -> bool:
        """Whether it does now; once."""
        if self.mood.trouble is not trouble:
            return False
        self.mood = attrs.evolve(self.mood, trouble=Trouble.NONE)
        self.troubles[trouble] += 1
        return True

    # --- the mark

    def read(self) -> Mark | None:
        """See `ports.HandoverMark`."""
        Steps.pause(Point.READING_MARK)
        return self._mark.read()

    def make(self) -> Mark:
        """See `ports.HandoverMark`."""
        return self._mark.make()

    def advance(self, number: int, horizon: datetime) -> None:
        """See `ports.HandoverMark`."""
        Steps.pause(Point.MARKING)
        if self._strikes(Trouble.MARK_UNWRITTEN):
            raise MarkUnwritten("it is full")
        self._mark.advance(number, horizon)
        self.marked.add(threading.get_ident())
        Steps.pause(Point.MARKED)

    # --- the mail server

    def stage(self, message: Message) -> _Staged | RefusedForNow | Refused | Unreachable:
        """See `ports.Mailer`."""
        Steps.pause(Point.STAGING)
        invite_id = message.message_id[1:].partition("@")[0]
        refused = self.mood.at_stage
        if refused is not None:
            self.said.setdefault(invite_id, set()).add(type(refused))
            return refused
        return _Staged(self, invite_id)

    def close(self) -> None:
        """Nothing is open."""


@attrs.define
class _Staged:
    _house: House
    _invite_id: str
    _abandoned: bool = False

    def commit(self) -> Accepted | RefusedForNow | Refused | AnswerLost:
        Steps.pause(Point.BEFORE_THE_DOT)
        house, earlier = self._house, self._house.dots.setdefault(self._invite_id, [])
        if self._abandoned:
            house.violations.append("a dot after the message was abandoned")
        if threading.get_ident() not in house.marked:
            house.violations.append("a dot before the mark was written")
        house.marked.discard(threading.get_ident())
        if not all(isinstance(answer, Refused | RefusedForNow) for answer in earlier):
            house.violations.append(f"a dot after {earlier}")
        earlier.append(None)
        Steps.pause(Point.AFTER_THE_DOT)
        answer = earlier[-1] = house.mood.answer
        house.said.setdefault(self._invite_id, set()).add(type(answer))
        return answer

    def abandon(self) -> None:
        self._abandoned = True


class MemoryMark:
    """See `ports.HandoverMark`; it outlives workers and databases."""

    def __init__(self) -> None:
        self._mark: Mark | None = None

    def read(self) -> Mark | None:
        return self._mark

    def make(self) -> Mark:
        self._mark = self._mark or Mark(host="host", number=0)
        return self._mark

    def advance(self, number: int, horizon: datetime) -> None:
        before = self.make()
        latest = max(horizon, before.horizon or horizon)
        self._mark = attrs.evolve(before, number=max(number, before.number), horizon=latest)
