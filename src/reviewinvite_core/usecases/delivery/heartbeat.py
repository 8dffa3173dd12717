"""The heartbeat of one worker, and what it does about workers that are missing. ADR-70."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.domain.workers import Heartbeat, WorkerWatch
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.dispatcher import DeliveryContext
from reviewinvite_core.usecases.delivery.sweep import release_claims


class WorkerHeart:
    """Beats for a worker, from its own loop: a worker that hangs beats no more."""

    def __init__(self, context: DeliveryContext) -> None:
        self._context = context
        self._pace = context.config.pace
        self._watch = WorkerWatch(self._pace.missing_after)
        self._beaten_at: float | None = None
        self._host = ""

    def beat(self) -> Iterator[MailItem]:
        """Beat if it is time, and release what missing workers have claimed; yield what changed."""
        monotonic = self._context.stopwatch()
        if self._beaten_at is not None and monotonic - self._beaten_at < self._pace.beat.total_seconds():
            return
        self._beaten_at = monotonic  # first, so that storage which is away is tried at the same pace
        guard, worker = self._context.config.restore_guard, self._context.worker
        if guard and not self._host and (mark := guard.store.read()):
            self._host = mark.host

        def step(ctx: UnitContext) -> Sequence[Heartbeat]:
            ctx.store.workers.beat(worker, self._host, ctx.now)
            return ctx.store.workers.every()

        beats = self._context.transactions.run(step, locks=frozenset())
        for missing in self._watch.observe(beats, monotonic):
            yield from self._give_up(missing)

    def end(self) -> None:
        """Remove this worker's row: it has stopped, and is not missing."""
        worker = self._context.worker
        if self._beaten_at is not None:
            self._context.transactions.run(lambda ctx: ctx.store.workers.remove(worker), locks=frozenset())

    def _give_up(self, missing: Heartbeat) -> Iterator[MailItem]:
        """Release the claims of a missing worker; forget it a day later, or at once if this worker took its place.

        It did if both are of one host, and the other has not beaten since this one began: whoever starts a worker
        again knows that it was gone, and needs no alert any more.
        """
        while not self._context.stop.is_set():
            released = self._context.transactions.run(lambda ctx: release_claims(ctx, missing.worker))
            for item in released:
                self._context.telemetry.delivered(item, None)
            yield from released
            if not released:
                break
        is_replaced = missing.host == self._host and self._watch.is_from_before(missing)

        def forget(ctx: UnitContext) -> None:
            if is_replaced or ctx.now - missing.at >= self._pace.forgotten_after:
                ctx.store.workers.remove(missing.worker)

        self._context.transactions.run(forget, locks=frozenset())
