"""Sweep in steps of at most 500 rows, and at most 10 steps a second, so that a backlog never holds up deliveries."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.messages import MailItem
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.dispatcher import DeliveryContext
from reviewinvite_core.usecases.delivery.sweep import (
    MOST_AT_ONCE,
    NO_LEASE_IS_SO_LONG,
    expire_overdue,
    recover_abandoned,
    sweep_daily_counters,
    sweep_rate_limit_log,
)
from reviewinvite_core.usecases.members.change import sweep_members
from reviewinvite_core.usecases.messages.sweep import delete_messages, expire_messages, recover_messages
from reviewinvite_core.usecases.privacy.change import erase_expired, expire_suppressions

STEPS_A_SECOND = 10
SECOND = timedelta(seconds=1)


@attrs.frozen
class Swept:
    """Result of one step: whether there may be more, and the invitations and messages that changed."""

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
    clock = context.clock_guard

    def is_trusted(ctx: UnitContext) -> bool:
        return clock is None or clock.is_trusted(ctx.now)

    def recover(ctx: UnitContext) -> Swept:
        recovered = recover_abandoned(ctx)
        return Swept(bool(recovered), recovered)

    def expire(ctx: UnitContext) -> Swept:
        expired = expire_overdue(ctx) if is_trusted(ctx) else []
        return Swept(bool(expired), expired)

    def erase(ctx: UnitContext) -> Swept:
        if not is_trusted(ctx):
            return Swept(more=False)
        erasure = erase_expired(ctx)
        return Swept(erasure.erased > 0, erasure.cancelled)

    def sweep_limits(ctx: UnitContext) -> Swept:
        return Swept(sweep_rate_limit_log(ctx) > 0)

    def sweep_days(ctx: UnitContext) -> Swept:
        return Swept(is_trusted(ctx) and sweep_daily_counters(ctx) > 0)

    def sweep_suppressions(ctx: UnitContext) -> Swept:
        return Swept(is_trusted(ctx) and expire_suppressions(ctx) > 0)

    def sweep_dashboard(ctx: UnitContext) -> Swept:
        return Swept(is_trusted(ctx) and sweep_members(ctx) > 0)

    return (
        recover,
        lambda ctx: sweep_messages(ctx, is_trusted=is_trusted(ctx)),
        expire,
        erase,
        sweep_limits,
        sweep_days,
        sweep_suppressions,
        sweep_dashboard,
    )


def sweep_messages(ctx: UnitContext, *, is_trusted: bool) -> Swept:
    """Recover messages of dead workers; if the clock is trusted, also expire and delete what is out of date."""
    recovered = recover_messages(ctx, NO_LEASE_IS_SO_LONG, MOST_AT_ONCE)
    expired = expire_messages(ctx, MOST_AT_ONCE) if is_trusted else []
    deleted = delete_messages(ctx, MOST_AT_ONCE) if is_trusted else 0
    return Swept(bool(recovered or expired or deleted), [*recovered, *expired])
