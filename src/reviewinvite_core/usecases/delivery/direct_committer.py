"""Commit each step of a delivery by itself, on the calling thread. ADR-49."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.ports import Failed
from reviewinvite_core.usecases.delivery.committer import (
    AnyFenceRequest,
    JointSteps,
    OutcomeRequest,
    Requests,
    TryAgain,
    unwrap_fenced,
    unwrap_recorded,
)
from reviewinvite_core.usecases.delivery.fence import Fenced
from reviewinvite_core.usecases.delivery.stop_signal import StopSignal


@attrs.frozen
class DirectCommitter:
    """Commits each step on the calling thread, which waits: for pools whose workers do not share an event loop.

    Implements `committer.Committer`.
    """

    _joint: JointSteps

    def approaching_the_fence(self) -> AbstractContextManager[object]:
        return nullcontext()

    async def fence(self, request: AnyFenceRequest) -> Fenced:
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
