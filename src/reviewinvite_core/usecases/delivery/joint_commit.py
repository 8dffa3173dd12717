"""One transaction for the fences and outcomes of several deliveries, and one write of the high-water mark. ADR-49."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.domain.handovers import HandOver
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import SHOP_OF_NOTICES, MailItem, Notice
from reviewinvite_core.ports import Done, Failed, Outcome
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.committer import (
    AnyFenceRequest,
    HighWaterMarkUnread,
    OutcomeRequest,
    Outcomes,
    Requests,
    is_storage_away,
)
from reviewinvite_core.usecases.delivery.fence import Fenced, FenceRequest, fence_all
from reviewinvite_core.usecases.delivery.message_fence import pass_fence
from reviewinvite_core.usecases.delivery.outcomes import record_all, record_answer
from reviewinvite_core.usecases.delivery.relay import note_answers
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, read_high_water_mark

_Results: TypeAlias = tuple[Sequence[MailItem], Sequence[Fenced]]


@attrs.frozen
class JointCommit:
    """Runs the steps of deliveries on the calling thread, which waits for locks and for the disk.

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
        passed = [
            each.result
            for each in fenced
            if isinstance(each, Done) and isinstance(each.result, Fenced) and each.result.number is not None
        ]
        if self._restore_guard is None or not passed:
            return list(fenced)
        try:
            self._restore_guard.store.advance([_hand_over(each) for each in passed])
        except Exception as error:
            unwritten = {id(each): Done(attrs.evolve(each, unwritten=error)) for each in passed}
        except BaseException as error:  # it belongs to the deliveries
            return [Failed(error) if isinstance(each, Done) and each.result in passed else each for each in fenced]
        else:
            return list(fenced)
        return [unwritten.get(id(each.result), each) if isinstance(each, Done) else each for each in fenced]

    def _with_high_water_mark(
        self, fences: Sequence[AnyFenceRequest]
    ) -> tuple[Sequence[AnyFenceRequest], BaseException | None]:
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

    def _alone(self, *, outcome: OutcomeRequest | None = None, fence: AnyFenceRequest | None = None) -> Outcome:
        try:
            recorded, fenced = self._run([outcome] if outcome else [], [fence] if fence else [])
        except BaseException as error:
            return Failed(error)
        return Done([*recorded, *fenced][0])

    def _run(self, outcomes: Sequence[OutcomeRequest], fences: Sequence[AnyFenceRequest]) -> _Results:
        locks = {lock for each in outcomes for lock in each.locks} | {lock for each in fences for lock in each.locks}

        def step(ctx: UnitContext) -> _Results:
            recorded, fenced = list(_recorded(ctx, outcomes)), _fenced(ctx, fences)
            note_answers(ctx, outcomes)
            return recorded, fenced

        return self._transactions.run_batched(step, locks=frozenset(locks))


def _recorded(ctx: UnitContext, requests: Sequence[OutcomeRequest]) -> Iterator[MailItem]:
    """Record outcomes in order, neighbouring answers of the mail server about invitations together."""
    for is_plain, those in groupby(requests, lambda each: each.step is None and isinstance(each.ours, Invitation)):
        if is_plain:
            yield from record_all(
                ctx, [(each.ours, each.answer) for each in those if isinstance(each.ours, Invitation)]
            )
        else:
            yield from (each.step(ctx) if each.step else record_answer(ctx, each.ours, each.answer) for each in those)


def _fenced(ctx: UnitContext, requests: Sequence[AnyFenceRequest]) -> Sequence[Fenced]:
    """Pass the fence with messages, then with invitations together; return what became of each request."""
    messages = {id(each): pass_fence(ctx, each) for each in requests if not isinstance(each, FenceRequest)}
    invitations = iter(fence_all(ctx, [each for each in requests if isinstance(each, FenceRequest)]))
    return [messages.get(id(each)) or next(invitations) for each in requests]


def _hand_over(fenced: Fenced) -> HandOver:
    item, number = fenced.item, fenced.number or 0
    if isinstance(item, Notice):
        shop_number, item_id, scheduled_for = SHOP_OF_NOTICES, item.message_id, item.queued_at
    else:
        shop_number, item_id, scheduled_for = item.shop_number, item.invite_id, item.scheduled_for
    return HandOver(
        number=number, shop_number=shop_number, invite_id=item_id, scheduled_for=scheduled_for, at=item.changed_at
    )
