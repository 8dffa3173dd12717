"""The delivery worker: deliver what is due, repeatedly, until stopped; and its heartbeat. ADR-70."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import chain
from typing import TypeVar

import attrs

from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import MailItem, Notice
from reviewinvite_core.domain.workers import Heartbeat, WorkerWatch
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.attempt import PAUSE_SECONDS, DeliveryResult
from reviewinvite_core.usecases.delivery.dispatcher import STOP_POLL_SECONDS, DeliveryContext, Dispatcher, deliver_due
from reviewinvite_core.usecases.delivery.sweep import Sweeper, release_claims, sweep_all

T = TypeVar("T")

POLL_SECONDS = 0.5
PAUSED_SECONDS = 3.0  # between two checks whether an operator has reconciled
SWEEP_EVERY = timedelta(seconds=30)
COUNT_EVERY = timedelta(seconds=1)
MOST_COUNTED = 100_000


@attrs.frozen(kw_only=True)
class Progress:
    """Progress of deliveries: numbers of invitations due (counted up to 100,000) and in flight, and of each result."""

    due: int = 0
    in_flight: int = 0
    sent: int = 0
    refused: int = 0
    uncertain: int = 0


@attrs.frozen(kw_only=True)
class Listeners:
    """Callbacks for the result of each invitation and each notice, for each error, and for why deliveries are paused.

    `on_outage` gets since when the mail server refuses all mail; and None once it accepts mail again.
    Errors in a listener do not end deliveries. Only `on_pause` can, by raising a `ConfigurationError`.
    """

    on_change: Callable[[Invitation], None]
    on_notice: Callable[[Notice], None]
    on_trouble: Callable[[Exception], None]
    on_pause: Callable[[ConfigurationError], None]
    on_progress: Callable[[Progress], None] | None = None
    on_outage: Callable[[datetime | None], None] = lambda _: None


def run_once(
    context: DeliveryContext,
    on_change: Callable[[Invitation], None] | None = None,
    on_notice: Callable[[Notice], None] | None = None,
) -> Iterator[Invitation]:
    """Clean up, then deliver until nothing is due or a stop is requested; yield each invitation with its result.

    `on_change` receives it before, and `on_notice` each notice; their errors do not end deliveries.
    """
    tell_change, tell_notice = _quiet(on_change or _nothing), _quiet(on_notice or _nothing)
    for item in chain(sweep_all(context), deliver_due(context)):
        if isinstance(item, Invitation):
            tell_change(item)
            yield item
        else:
            tell_notice(item)


def _nothing(_: object) -> None:
    """Listen to nothing."""


def run_continually(context: DeliveryContext, listeners: Listeners) -> None:
    """Deliver until a stop is requested; wait for storage that is unavailable, and survive any error.

    Raises: the `ConfigurationError` that `on_pause` raises, after claimed invitations have been released, as at a stop.
    """
    worker = _Worker(context, listeners)
    try:
        while not context.stop.is_set():
            worker.step()
    except (Exception, KeyboardInterrupt):
        worker.end()
        raise
    worker.end()


class _Worker:
    def __init__(self, context: DeliveryContext, listeners: Listeners) -> None:
        self._context = context
        self._listeners = _harmless(listeners)
        self._dispatcher = Dispatcher(context, self._listeners.on_trouble)
        self._sweeper = Sweeper(context)
        self._heart = WorkerHeart(context)
        self._swept_at: datetime | None = None
        self._counted_at: datetime | None = None
        self._progress = Progress()
        self._paused = False
        self._outage_since: datetime | None = None

    def step(self) -> None:
        """Clean up if it is time, claim more if there is room, and process one finished delivery, or wait."""
        seconds = POLL_SECONDS
        try:
            self._sweep_when_due()
            if self._dispatcher.take_more():
                seconds = STOP_POLL_SECONDS
            self._paused = False
            self._tell_outage()
        except ConfigurationError as why:
            self._tell_pause(why)
            seconds = PAUSED_SECONDS
        except Exception as trouble:  # an unexpected error costs a pause, not all further deliveries
            self._listeners.on_trouble(trouble)
            seconds = PAUSE_SECONDS
        self._beat()
        self._tell_progress()
        if not self._dispatcher.busy:
            self._context.stop.wait(seconds)
            return
        result = self._dispatcher.next_result(min(seconds, POLL_SECONDS))
        if result and self._note(result):
            self._pause_for_trouble()

    def end(self) -> None:
        """Release claimed invitations, and wait for those that may already have been sent."""
        try:
            for item in self._dispatcher.give_back():
                self._tell_change(item)
            self._heart.end()
        except Exception as trouble:
            self._listeners.on_trouble(trouble)
        self._tell_progress()

    def _beat(self) -> None:
        """Show that this worker lives, and release what missing ones have claimed."""
        try:
            for item in self._heart.beat():
                self._dispatcher.search.restart()  # it is due, perhaps before the search's position
                self._tell_change(item)
        except Exception as trouble:
            self._listeners.on_trouble(trouble)

    def _note(self, result: DeliveryResult) -> bool:
        """Report a result; return whether there was trouble that calls for a pause."""
        self._tell_change(result.item)
        if isinstance(result.trouble, ConfigurationError):
            self._tell_pause(result.trouble)
        elif result.trouble:
            self._listeners.on_trouble(result.trouble)
            return True
        return False

    def _pause_for_trouble(self) -> None:
        """Pause once for all deliveries that meet trouble at the same time."""
        if self._context.stop.wait(PAUSE_SECONDS):
            return
        for _ in range(self._dispatcher.in_flight):
            result = self._dispatcher.next_result(0)
            if result is None:
                return
            self._note(result)

    def _tell_pause(self, why: ConfigurationError) -> None:
        """Report a pause only once until deliveries resume."""
        if not self._paused:
            self._paused = True
            self._listeners.on_pause(why)

    def _tell_outage(self) -> None:
        """Report when an outage begins, and when it ends."""
        since = self._dispatcher.outage_since
        if (since is None) != (self._outage_since is None):
            self._listeners.on_outage(since)
        self._outage_since = since

    def _tell_change(self, item: MailItem) -> None:
        if isinstance(item, Notice):
            self._listeners.on_notice(item)
            return
        came = {State.SENT: "sent", State.REJECTED: "refused", State.UNCERTAIN: "uncertain"}.get(item.state)
        if came:
            self._progress = attrs.evolve(self._progress, **{came: getattr(self._progress, came) + 1})
        self._listeners.on_change(item)

    def _tell_progress(self) -> None:
        if self._listeners.on_progress:
            self._listeners.on_progress(attrs.evolve(self._progress, in_flight=self._dispatcher.in_flight))

    def _sweep_when_due(self) -> None:
        """Begin to clean up if that last began 30 seconds ago, or if the clock was set since; and restart the search.

        It goes by the clock, so that neither much work nor a slow mail server delays it. What a round leaves, because a
        second has room for so much only, is done in the following seconds.
        """
        now = self._now()
        if self._swept_at is None or abs(now - self._swept_at) >= SWEEP_EVERY:
            self._swept_at = now  # first, so that an error in it does not stop deliveries
            self._dispatcher.search.restart()
            self._sweeper.begin()
        for item in self._sweeper.sweep(now):
            self._tell_change(item)
        if self._context.clock_guard and (jump := self._context.clock_guard.take_jump()):
            self._listeners.on_trouble(jump)
        if self._listeners.on_progress and (self._counted_at is None or abs(now - self._counted_at) >= COUNT_EVERY):
            self._counted_at = now
            self._progress = attrs.evolve(
                self._progress, due=self._context.transactions.run(_count_due, locks=frozenset())
            )

    def _now(self) -> datetime:
        """Return the latest instant from storage; query storage if it has given no instant since the last call."""
        seen_at, self._dispatcher.seen_at = self._dispatcher.seen_at, None
        return seen_at or self._context.transactions.run(_instant, locks=frozenset())


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


def _harmless(listeners: Listeners) -> Listeners:
    """Return listeners whose errors do not affect deliveries."""

    def on_pause(why: ConfigurationError) -> None:
        try:
            listeners.on_pause(why)
        except ConfigurationError:
            raise
        except Exception:  # noqa: S110 - there is nobody left to report it to
            pass

    return Listeners(
        on_change=_quiet(listeners.on_change),
        on_notice=_quiet(listeners.on_notice),
        on_trouble=_quiet(listeners.on_trouble),
        on_pause=on_pause,
        on_progress=_quiet(listeners.on_progress) if listeners.on_progress else None,
        on_outage=_quiet(listeners.on_outage),
    )


def _quiet(tell: Callable[[T], None]) -> Callable[[T], None]:
    def guarded(what: T) -> None:
        with suppress(Exception):
            tell(what)

    return guarded


def _instant(ctx: UnitContext) -> datetime:
    return ctx.now


def _count_due(ctx: UnitContext) -> int:
    return ctx.store.invitations.count_due(ctx.now, MOST_COUNTED)
