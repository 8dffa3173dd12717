"""Clean up what is out of date: claims of dead workers, what is overdue, and old counters.

It goes in steps of at most 500 rows of a kind, and at most 10 steps a second: a backlog never holds up deliveries.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import OVERDUE_AFTER
from reviewinvite_core.domain.limits import DAY, MINUTE, day_of
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.dispatcher import DeliveryContext
from reviewinvite_core.usecases.delivery.outcomes import change_all, kinds_of
from reviewinvite_core.usecases.members.change import sweep_members
from reviewinvite_core.usecases.privacy.change import erase_expired, expire_suppressions

MOST_AT_ONCE = 500
STEPS_A_SECOND = 10
SECOND = timedelta(seconds=1)
NO_LEASE_IS_SO_LONG = timedelta(days=2)  # twice the longest possible setting: another worker's may be longer than ours
NOTICES_KEPT = timedelta(days=7)  # after they expired, so that an operator can see what became of them


@attrs.frozen
class Swept:
    """Result of one step: whether there may be more, and the invitations and notices that changed."""

    more: bool
    changed: Sequence[MailItem] = ()


Step: TypeAlias = Callable[[UnitContext], Swept]


class Sweeper:
    """A round of sweeping under way: the steps that may still find something, each in turn."""

    def __init__(self, context: DeliveryContext) -> None:
        self._context = context
        self._steps: deque[Step] = deque()
        self._second: datetime | None = None
        self._left = 0

    def begin(self) -> None:
        """Begin a round, also if the last one is not finished: what workers left behind comes first again."""
        self._steps = deque(steps_of(self._context))

    def sweep(self, now: datetime) -> Iterator[MailItem]:
        """Run the steps that this second has room for; yield what changed."""
        if self._second is None or abs(now - self._second) >= SECOND:
            self._second, self._left = now, STEPS_A_SECOND
        while self._steps and self._left and not self._context.stop.is_set():
            self._left -= 1
            step = self._steps.popleft()
            swept = self._context.transactions.run(step)
            if swept.more:
                self._steps.append(step)
            yield from _told(self._context, swept)


def sweep_all(context: DeliveryContext) -> Iterator[MailItem]:
    """Run each step until it finds nothing more, or a stop is requested; yield what changed."""
    for step in steps_of(context):
        while not context.stop.is_set() and (swept := context.transactions.run(step)).more:
            yield from _told(context, swept)


def _told(context: DeliveryContext, swept: Swept) -> Sequence[MailItem]:
    """Return what changed, once telemetry knows of it."""
    for item in swept.changed:
        context.telemetry.delivered(item, None)
    return swept.changed


def steps_of(context: DeliveryContext) -> Sequence[Step]:
    """Return the steps of a round; irreversible ones act only if the clock is trusted at that very moment."""

    def if_trusted(step: Callable[[UnitContext], Swept]) -> Step:
        guard = context.clock_guard
        return lambda ctx: step(ctx) if guard is None or guard.is_trusted(ctx.now) else Swept(more=False)

    def erase(ctx: UnitContext) -> Swept:
        erasure = erase_expired(ctx)
        return Swept(erasure.erased > 0, erasure.cancelled)

    return (
        _moving(recover_abandoned),
        if_trusted(_moving(expire_overdue)),
        if_trusted(_counting(delete_notices)),
        if_trusted(erase),
        _counting(sweep_rate_limit_log),
        if_trusted(_counting(sweep_daily_counters)),
        if_trusted(_counting(expire_suppressions)),
        if_trusted(_counting(sweep_members)),
    )


def _moving(step: Callable[[UnitContext], Sequence[MailItem]]) -> Step:
    def swept(ctx: UnitContext) -> Swept:
        changed = step(ctx)
        return Swept(bool(changed), changed)

    return swept


def _counting(step: Callable[[UnitContext], int]) -> Step:
    return lambda ctx: Swept(step(ctx) > 0)


def recover_abandoned(ctx: UnitContext) -> Sequence[MailItem]:
    """Recover what a worker left behind when it died; return what changed, as it is now.

    What had not passed the fence is rescheduled. What had may have been sent: it becomes what its kind declares for a
    lost answer (ADR-7). A claim longer than any lease, which was made when a clock was ahead, is treated in the same
    way (ADR-12).
    """
    longest = ctx.now + NO_LEASE_IS_SO_LONG
    held = [item for kind in kinds_of(ctx) for item in kind.abandoned(ctx.now, longest, MOST_AT_ONCE)]
    return list(change_all(ctx, [(item, _recovered(ctx, item)) for item in held]).values())


def _recovered(ctx: UnitContext, item: MailItem) -> MailItem:
    if item.state is State.CLAIMED:
        return item.moved(State.SCHEDULED, Reason.LEASE_EXPIRED, ctx.now)
    return item.moved(item.lost_answer, Reason.PROCESS_DIED, ctx.now)


def release_claims(ctx: UnitContext, worker: bytes) -> Sequence[MailItem]:
    """Schedule what a missing worker has claimed; return what changed. What it was handing over stays as it is.

    If the worker lives after all, its deliveries stop at the fence: the claims are no longer theirs (ADR-70).
    """
    claimed: list[MailItem] = [item for kind in kinds_of(ctx) for item in kind.claimed_by(worker, MOST_AT_ONCE)]
    changes = [(item, item.moved(State.SCHEDULED, Reason.LEASE_EXPIRED, ctx.now)) for item in claimed]
    return list(change_all(ctx, changes).values())


def expire_overdue(ctx: UnitContext) -> Sequence[MailItem]:
    """Expire notices that were not sent in time, and invitations due more than 60 days ago; return what changed.

    The shop of such an invitation stayed inactive, or no worker ran.
    """
    late: list[MailItem] = [
        *ctx.store.notices.overdue(ctx.now, MOST_AT_ONCE),
        *ctx.store.invitations.overdue(ctx.now - OVERDUE_AFTER, MOST_AT_ONCE),
    ]
    changes = [(item, item.moved(State.EXPIRED, Reason.OVERDUE, ctx.now)) for item in late]
    return list(change_all(ctx, changes).values())


def delete_notices(ctx: UnitContext) -> int:
    """Delete notices that expired a week ago; return how many."""
    return ctx.store.notices.sweep(ctx.now - NOTICES_KEPT, MOST_AT_ONCE)


def sweep_rate_limit_log(ctx: UnitContext) -> int:
    """Delete admissions that no longer affect a limit; return how many were handled.

    Those dated more than a minute ahead came before the clock was set back. They are dated to now, so that they still
    count for one window, and not until the clock reaches their dates (ADR-48).
    """
    log, now = ctx.store.rate_limit_log, ctx.now
    swept = log.sweep(now - MINUTE - timedelta(seconds=10), MOST_AT_ONCE)
    return swept + log.bring_back_all(now, later_than=now + MINUTE, limit=MOST_AT_ONCE - swept)


def sweep_daily_counters(ctx: UnitContext) -> int:
    """Delete counters older than yesterday's, and reports of snippets older than a day; return how many.

    Another machine's clock may still be at yesterday.
    """
    swept = ctx.store.snippet_reports.sweep(ctx.now - DAY - MINUTE, MOST_AT_ONCE)
    return swept + ctx.store.daily_counters.sweep(day_of(ctx.now) - DAY, MOST_AT_ONCE)
