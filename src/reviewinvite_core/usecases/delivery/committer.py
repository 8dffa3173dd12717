"""The steps of a delivery that wait for storage and the high-water mark, as coroutines. ADR-7, ADR-49."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias, TypeVar

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation, invitation_lock
from reviewinvite_core.ports import AnswerLost, Done, Failed, Outcome
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest
from reviewinvite_core.usecases.delivery.outcomes import Answer
from reviewinvite_core.usecases.delivery.stop_signal import StopSignal

T = TypeVar("T")


class HighWaterMarkUnread(Exception):
    """The high-water mark cannot be compared, so nothing may pass; `why` says what to do about it."""

    def __init__(self, why: Exception) -> None:
        super().__init__(str(why))
        self.why = why


@attrs.frozen(kw_only=True, eq=False)
class OutcomeRequest:
    """What became of a delivery: the mail server's answer, or else a step that records something else."""

    ours: Invitation
    answer: Answer = attrs.field(factory=AnswerLost)
    step: Callable[[UnitContext], Invitation] | None = None

    @property
    def locks(self) -> frozenset[int]:
        """That of the invitation."""
        return frozenset({invitation_lock(self.ours.invite_id)})


TryAgain: TypeAlias = Callable[[StorageUnavailable], Awaitable[bool]]
"""Called while storage is unavailable; waits, and returns whether to try again."""


class Committer(Protocol):
    """Commits the steps of deliveries."""

    def approaching_the_fence(self) -> AbstractContextManager[object]:
        """Return a context in which a delivery is on its way to the fence."""

    async def fence(self, request: FenceRequest) -> Fenced:
        """Pass the fence and write the high-water mark; both are durable on return.

        Raises: `HighWaterMarkUnread`, with nothing changed; what the fence raises; `StorageUnavailable`.
        """

    async def record(self, request: OutcomeRequest, *, queued: Callable[[], None], try_again: TryAgain) -> Invitation:
        """Record an outcome and return the invitation as it is afterwards; durable on return.

        `queued` is called when no fence requested later can be committed before the outcome: then the delivery's
        session may carry the next message. It may be called again after each further try.

        Raises: what the step raises; `StorageUnavailable` once `try_again` returns False.
        """

    async def wait(self, stop: StopSignal, seconds: float) -> bool:
        """Wait up to `seconds`; return whether a stop was requested."""


class JointSteps(Protocol):
    """Runs the steps of several deliveries together; see `joint_commit.JointCommit`."""

    def commit(self, requests: Requests, *, begin: Callable[[], object] = ...) -> Outcomes:
        """Read the high-water mark if there are fences, call `begin`, and commit all that is requested.

        Raises: only what `begin` raises; then nothing is committed.
        """

    def advance(self, fenced: list[Outcome]) -> list[Outcome]:
        """Write the high-water mark for all that have passed the fence."""


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


def is_storage_away(outcome: Outcome) -> bool:
    """Return whether a step failed because storage was unavailable."""
    return isinstance(outcome, Failed) and isinstance(outcome.error, StorageUnavailable)


def unwrap_fenced(outcome: Outcome) -> Fenced:
    """Return the result of a fence, or raise its error."""
    return _unwrap(outcome, Fenced)


def unwrap_recorded(outcome: Outcome) -> Invitation:
    """Return the result of recording an outcome, or raise its error."""
    return _unwrap(outcome, Invitation)


def _unwrap(outcome: Outcome, kind: type[T]) -> T:
    match outcome:
        case Done(result) if isinstance(result, kind):
            return result
        case Failed(error):
            raise error
    raise TypeError(type(outcome.result))
