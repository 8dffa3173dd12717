"""The steps of a delivery that wait for storage and the high-water mark, as coroutines. ADR-7, ADR-49."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation, invitation_lock
from reviewinvite_core.domain.notices import MailItem, Notice, notice_lock
from reviewinvite_core.ports import AnswerLost, Failed, Outcome
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest
from reviewinvite_core.usecases.delivery.message_fence import NoticeFenceRequest
from reviewinvite_core.usecases.delivery.outcomes import Answer
from reviewinvite_core.usecases.delivery.stop_signal import StopSignal


class HighWaterMarkUnread(Exception):
    """The high-water mark cannot be compared, so nothing may pass; `why` says what to do about it."""

    def __init__(self, why: Exception) -> None:
        super().__init__(str(why))
        self.why = why


@attrs.frozen(kw_only=True, eq=False)
class OutcomeRequest:
    """What became of a delivery: the mail server's answer, or else a step that records something else.

    `is_awaited` is as in `Fenced`.
    """

    ours: MailItem
    answer: Answer = attrs.field(factory=AnswerLost)
    step: Callable[[UnitContext], MailItem] | None = None
    is_awaited: bool = False

    @property
    def locks(self) -> frozenset[int]:
        """That of the invitation or notice."""
        return frozenset({item_lock(self.ours)})


AnyFenceRequest: TypeAlias = FenceRequest | NoticeFenceRequest
"""What passes the fence: an invitation or a notice."""


def fence_request(ours: MailItem) -> AnyFenceRequest:
    """Return the request to pass the fence with this invitation or notice."""
    return NoticeFenceRequest(ours=ours) if isinstance(ours, Notice) else FenceRequest(ours=ours)


def item_lock(item: MailItem) -> int:
    """Return the lock of an invitation or a notice."""
    return notice_lock(item.message_id) if isinstance(item, Notice) else invitation_lock(item.invite_id)


TryAgain: TypeAlias = Callable[[StorageUnavailable], Awaitable[bool]]
"""Called while storage is unavailable; waits, and returns whether to try again."""


class Committer(Protocol):
    """Commits the steps of deliveries."""

    def approaching_the_fence(self) -> AbstractContextManager[object]:
        """Return a context in which a delivery is on its way to the fence."""

    async def fence(self, request: AnyFenceRequest) -> Fenced:
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
    fences: tuple[AnyFenceRequest, ...] = ()


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
