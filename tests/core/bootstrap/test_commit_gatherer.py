"""What sessions want to be committed goes together, outcomes first, and never out of turn."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import attrs
import pytest
from tests.core.usecases.harness import AppHarness, invitation_of
from tests.waiting import TIMEOUT_SECONDS, no_more_threads

from reviewinvite_core.application.commit_gatherer import CommitGatherer
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.ports import Done, Failed, HighWaterMarkUnwritten, Outcome
from reviewinvite_core.usecases.delivery.committer import OutcomeRequest, Outcomes, Requests
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest

SESSIONS = [1, 4, 16]


class RecordedSteps:
    """Joint steps that only note what they are asked for, and wait, fail or go on as a test has it.

    Implements `committer.JointSteps`.
    """

    def __init__(self) -> None:
        self.said: list[str] = []
        self.go_on, self.mark, self.mark_read = threading.Event(), threading.Event(), threading.Event()
        self.go_on.set()
        self.mark_read.set()
        self.mark.set()
        self.outcome_errors: list[Exception] = []
        self.fence_errors: list[Exception] = []
        self.unwritten: Exception | None = None

    def commit(self, requests: Requests, *, begin: Callable[[], object] = lambda: None) -> Outcomes:
        if requests.fences:
            assert self.mark_read.wait(TIMEOUT_SECONDS)
        begin()
        self.said.append(f"{len(requests.outcomes)} outcomes, {len(requests.fences)} fences")
        assert self.go_on.wait(TIMEOUT_SECONDS)
        error = self.outcome_errors.pop() if requests.outcomes and self.outcome_errors else None
        stopped = self.fence_errors.pop() if requests.fences and self.fence_errors else None
        return Outcomes(
            outcomes=[Failed(error) if error else Done(each.ours) for each in requests.outcomes],
            fences=[Failed(stopped) if stopped else Done(Fenced(item=each.ours, number=1)) for each in requests.fences],
        )

    def advance(self, fenced: list[Outcome]) -> list[Outcome]:
        self.said.append(f"mark of {len(fenced)}")
        assert self.mark.wait(TIMEOUT_SECONDS)
        if self.unwritten is None:
            return fenced
        return [
            Done(attrs.evolve(each.result, unwritten=self.unwritten))
            for each in fenced
            if isinstance(each, Done) and isinstance(each.result, Fenced)
        ]


@pytest.fixture
def steps() -> RecordedSteps:
    return RecordedSteps()


@pytest.fixture
def ours() -> Invitation:
    harness = AppHarness()
    return harness.invitation(harness.report_due())


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), TIMEOUT_SECONDS))


async def never(_: StorageUnavailable) -> bool:
    return False


async def record(gatherer: CommitGatherer, ours: Invitation, free: Callable[[], None] = lambda: None) -> Invitation:
    return invitation_of(await gatherer.record(OutcomeRequest(ours=ours), queued=free, try_again=never))


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("count", SESSIONS)
def test_the_fences_of_sessions_that_come_in_the_same_turns_share_a_commit_and_a_mark(
    steps: RecordedSteps, ours: Invitation, count: int
) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)

        async def session(number: int) -> None:
            with gatherer.approaching_the_fence():
                for _ in range(number % 3):
                    await asyncio.sleep(0)
            assert (await gatherer.fence(FenceRequest(ours=ours))).number == 1

        await asyncio.gather(*map(session, range(count)))
        assert steps.said == [f"0 outcomes, {count} fences", f"mark of {count}"]

    run(test)


def test_a_session_that_takes_long_to_come_is_not_waited_for(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        with gatherer.approaching_the_fence():
            await gatherer.fence(FenceRequest(ours=ours))
        assert steps.said == ["0 outcomes, 1 fences", "mark of 1"]

    run(test)


@pytest.mark.parametrize("count", SESSIONS)
def test_what_comes_while_a_commit_is_running_shares_the_next(
    steps: RecordedSteps, ours: Invitation, count: int
) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        steps.go_on.clear()
        first = asyncio.ensure_future(gatherer.fence(FenceRequest(ours=ours)))
        await until(lambda: steps.said)
        others = [asyncio.ensure_future(gatherer.fence(FenceRequest(ours=ours))) for _ in range(count)]
        outcomes = [asyncio.ensure_future(record(gatherer, ours)) for _ in range(count)]
        await asyncio.sleep(0.05)
        assert steps.said == ["0 outcomes, 1 fences"]
        steps.go_on.set()
        await asyncio.gather(first, *others, *outcomes)
        assert f"{count} outcomes, {count} fences" in steps.said

    run(test)


def test_an_outcome_goes_with_the_next_fence_and_its_session_is_free_before(
    steps: RecordedSteps, ours: Invitation
) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps, outcome_seconds=TIMEOUT_SECONDS)
        freed: list[bool] = []
        with gatherer.approaching_the_fence():
            outcome = asyncio.ensure_future(record(gatherer, ours, lambda: freed.append(outcome.done())))
            await until(lambda: freed)
        await asyncio.gather(outcome, gatherer.fence(FenceRequest(ours=ours)))
        assert freed == [False]
        assert steps.said == ["1 outcomes, 1 fences", "mark of 1"]

    run(test)


def test_an_outcome_waits_for_no_fence_if_none_is_on_its_way(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        assert await record(CommitGatherer(steps), ours) == ours
        assert steps.said == ["1 outcomes, 0 fences"]

    run(test)


def test_an_outcome_does_not_wait_long_for_a_fence_that_is_on_its_way(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        with gatherer.approaching_the_fence():
            assert await record(gatherer, ours) == ours
        assert steps.said == ["1 outcomes, 0 fences"]

    run(test)


def test_outcomes_are_durable_and_the_next_commit_begins_while_the_mark_is_being_written(
    steps: RecordedSteps, ours: Invitation
) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        steps.mark.clear()
        fenced = asyncio.ensure_future(gatherer.fence(FenceRequest(ours=ours)))
        await until(lambda: len(steps.said) == 2)
        assert await record(gatherer, ours) == ours
        assert not fenced.done()
        steps.mark.set()
        assert (await fenced).number == 1

    run(test)


def test_no_fence_overtakes_an_outcome_that_storage_could_not_take(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        steps.outcome_errors = [StorageUnavailable("away")]
        retry = asyncio.Event()

        async def when_told(_: StorageUnavailable) -> bool:
            return await retry.wait()

        steps.go_on.clear()
        request = OutcomeRequest(ours=ours)
        outcome = asyncio.ensure_future(gatherer.record(request, queued=lambda: None, try_again=when_told))
        await until(lambda: steps.said)
        waiting = asyncio.ensure_future(gatherer.fence(FenceRequest(ours=ours)))
        await asyncio.sleep(0)
        steps.go_on.set()
        await until(lambda: not steps.outcome_errors)
        await asyncio.sleep(0.05)
        assert not waiting.done()
        retry.set()
        assert await outcome == ours
        assert (await waiting).number == 1
        assert steps.said[0] == "1 outcomes, 0 fences"
        assert "0 outcomes, 1 fences" not in steps.said[:2]

    run(test)


def test_fences_wait_a_moment_after_storage_could_not_take_one(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps, away_seconds=0.2)
        steps.fence_errors = [StorageUnavailable("away")]
        begun = asyncio.get_running_loop().time()
        with pytest.raises(StorageUnavailable):
            await gatherer.fence(FenceRequest(ours=ours))
        assert (await gatherer.fence(FenceRequest(ours=ours))).number == 1
        assert asyncio.get_running_loop().time() - begun >= 0.2

    run(test)


def test_an_outcome_does_not_wait_for_a_mark_that_cannot_be_read(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps, outcome_seconds=TIMEOUT_SECONDS, high_water_mark_seconds=0.01)
        steps.mark_read.clear()
        with gatherer.approaching_the_fence():
            outcome = asyncio.ensure_future(record(gatherer, ours))
            await asyncio.sleep(0)
            fence = asyncio.ensure_future(gatherer.fence(FenceRequest(ours=ours)))
        assert await outcome == ours
        assert await record(gatherer, ours) == ours
        assert not fence.done()
        assert steps.said == ["1 outcomes, 0 fences"] * 2
        steps.mark_read.set()
        assert (await fence).number == 1
        assert steps.said[2:] == ["0 outcomes, 1 fences", "mark of 1"]

    run(test)


def test_without_a_thread_to_commit_on_all_fail_and_the_next_is_tried(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps, away_seconds=0)
        with no_more_threads():
            outcome, fence = await asyncio.gather(
                record(gatherer, ours), gatherer.fence(FenceRequest(ours=ours)), return_exceptions=True
            )
        assert [type(outcome), type(fence)] == [StorageUnavailable] * 2
        assert await record(gatherer, ours) == ours
        assert (await gatherer.fence(FenceRequest(ours=ours))).number == 1

    run(test)


def test_an_answer_is_kept_while_no_thread_is_to_be_had(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        with no_more_threads() as threads:

            async def wait(_: StorageUnavailable) -> bool:
                stopped = await gatherer.wait(threading.Event(), 0.01)
                threads.close()
                return not stopped

            request = OutcomeRequest(ours=ours)
            assert await gatherer.record(request, queued=lambda: None, try_again=wait) == ours

    run(test)


def test_an_outcome_that_is_given_up_holds_up_no_fence_any_more(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        steps.outcome_errors = [StorageUnavailable("away")]
        with pytest.raises(StorageUnavailable):
            await record(gatherer, ours)
        assert (await gatherer.fence(FenceRequest(ours=ours))).number == 1

    run(test)


def test_a_mark_that_cannot_be_written_is_told_to_each_session(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        steps.unwritten = HighWaterMarkUnwritten("full")
        fenced = await asyncio.gather(*(gatherer.fence(FenceRequest(ours=ours)) for _ in range(4)))
        assert [each.unwritten for each in fenced] == [steps.unwritten] * 4

    run(test)


def test_an_error_of_the_steps_themselves_is_raised_in_each_session(steps: RecordedSteps, ours: Invitation) -> None:
    async def test() -> None:
        gatherer = CommitGatherer(steps)
        steps.outcome_errors = [ValueError("no")]
        with pytest.raises(ValueError, match="no"):
            await record(gatherer, ours)

    run(test)


def test_a_stop_ends_a_wait(steps: RecordedSteps) -> None:
    async def test() -> None:
        stop = threading.Event()
        waiting = asyncio.ensure_future(CommitGatherer(steps).wait(stop, TIMEOUT_SECONDS))
        await asyncio.sleep(0)
        stop.set()
        assert await waiting
        assert not await CommitGatherer(steps).wait(threading.Event(), 0)

    run(test)
