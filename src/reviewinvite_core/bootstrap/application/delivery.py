"""`app.delivery` for asyncio: the same deliveries, on a separate thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from reviewinvite_core.bootstrap.argument_types import CheckedArguments
from reviewinvite_core.bootstrap.delivery import Delivery
from reviewinvite_core.bootstrap.findable_names import FindableNames
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import Pause
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.execution import GroupCommit
from reviewinvite_core.usecases.delivery.backlog import Backlog
from reviewinvite_core.usecases.delivery.worker import Progress

T = TypeVar("T")


class AsyncDelivery(FindableNames, CheckedArguments):
    """Run deliveries beside an event loop; see `Delivery`."""

    __slots__ = ("_commits", "_delivery")

    def __init__(self, delivery: Delivery, commits: GroupCommit) -> None:
        """Do not call this; `AsyncApplication` does."""
        self._delivery = delivery
        self._commits = commits

    async def once(
        self,
        stop: threading.Event | None = None,
        *,
        on_change: Callable[[Invitation], None] | None = None,
        on_notice: Callable[[Notice], None] | None = None,
    ) -> Sequence[Invitation]:
        """Deliver until nothing is due and return the invitations; see `Delivery.once`. On cancellation, stop first.

        The callbacks are called on the thread that delivers, not on the event loop.
        """
        end = stop or threading.Event()
        return await on_a_thread(partial(self._delivery.once, end, on_change=on_change, on_notice=on_notice), end)

    async def continually(
        self,
        stop: threading.Event | None = None,
        *,
        on_change: Callable[[Invitation], None] | None = None,
        on_notice: Callable[[Notice], None] | None = None,
        on_trouble: Callable[[Exception], None] | None = None,
        on_pause: Callable[[ConfigurationError], None] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        grace_seconds: float | None = None,
    ) -> None:
        """Deliver until this is cancelled or `stop` is set; see `Delivery.continually`. Shares commits.

        In both cases deliveries in progress are finished first, within `grace_seconds`. The callbacks are called on the
        thread that delivers, not on the event loop.
        """
        end = stop or threading.Event()
        deliver = partial(
            self._delivery.continually,
            end,
            on_change=on_change,
            on_notice=on_notice,
            on_trouble=on_trouble,
            on_pause=on_pause,
            on_progress=on_progress,
            commits=self._commits,
            grace_seconds=grace_seconds,
        )
        await on_a_thread(deliver, end)

    async def paused(self) -> Pause | None:
        """Return why deliveries are paused, or None; see `Delivery.paused`."""
        return await asyncio.to_thread(self._delivery.paused)

    async def backlog(self) -> Backlog:
        """Return what waits to be sent, and for an operator; see `Delivery.backlog`."""
        return await asyncio.to_thread(self._delivery.backlog)

    async def reconcile(self) -> int:
        """Mark as `uncertain` what may have been sent before; see `Delivery.reconcile`. Return how many invitations."""
        return await asyncio.to_thread(self._delivery.reconcile)


async def on_a_thread(work: Callable[[], T], stop: threading.Event) -> T:
    """Return the result of `work`; on cancellation, set `stop` and wait until the work has ended."""
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([running])
        raise
