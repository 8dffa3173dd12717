"""The application for asyncio, and what runs on threads beside its event loop. ADR-3, ADR-41."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Self, TypeVar

from reviewinvite_core.application.api_keys import AsyncApiKeys
from reviewinvite_core.application.application import Application
from reviewinvite_core.application.badges import AsyncBadges
from reviewinvite_core.application.delivery import Delivery
from reviewinvite_core.application.domain_recheck import DomainRechecker
from reviewinvite_core.application.domains import AsyncDomains
from reviewinvite_core.application.event_loop import AsyncUseCases, ReadThreadPool
from reviewinvite_core.application.facade import CheckedArguments, FindableNames
from reviewinvite_core.application.invitations import AsyncInvitations
from reviewinvite_core.application.members import AsyncMembers
from reviewinvite_core.application.orders import AsyncOrders
from reviewinvite_core.application.privacy import AsyncPrivacy
from reviewinvite_core.application.reviews import AsyncReviews
from reviewinvite_core.application.shops import AsyncShops
from reviewinvite_core.application.sign_in import AsyncSignIn
from reviewinvite_core.application.signing_keys import AsyncSigningKeys
from reviewinvite_core.application.trust_marks import AsyncTrustMarks
from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.domains import Rechecked
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import Pause
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.domain.refusals import (
    DomainTaken,
    DomainUnknown,
    KeyRefused,
    LimitReached,
    ShopInactive,
    ShopUnknown,
)
from reviewinvite_core.execution import GroupCommit
from reviewinvite_core.ports import Condition
from reviewinvite_core.usecases.delivery.backlog import Backlog
from reviewinvite_core.usecases.delivery.worker import Progress
from reviewinvite_core.usecases.domains import DomainCheck

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


class AsyncDomainRechecker(FindableNames, CheckedArguments):
    """Check the hosts of shops beside an event loop; see `DomainRechecker`."""

    __slots__ = ("_rechecker",)

    def __init__(self, rechecker: DomainRechecker) -> None:
        """Do not call this; `AsyncApplication` does."""
        self._rechecker = rechecker

    async def check(
        self, acting: str | Actor | Credential, host: str
    ) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken | KeyRefused | ShopInactive | LimitReached:
        """Check one host now; see `DomainRechecker.check`."""
        return await asyncio.to_thread(self._rechecker.check, acting, host)

    async def once(self, stop: threading.Event | None = None) -> Sequence[Rechecked]:
        """Check hosts until none is due; return each before and after its check. See `DomainRechecker.once`."""
        end = stop or threading.Event()
        return await on_a_thread(lambda: self._rechecker.once(end), end)

    async def continually(
        self,
        stop: threading.Event | None = None,
        *,
        on_change: Callable[[Rechecked], object] | None = None,
        on_trouble: Callable[[Exception], object] | None = None,
    ) -> None:
        """Check the hosts that are due until this is cancelled or `stop` is set; see `DomainRechecker.continually`.

        The callbacks are called on the thread that checks, not on the event loop.
        """
        end = stop or threading.Event()
        await on_a_thread(lambda: self._rechecker.continually(end, on_change=on_change, on_trouble=on_trouble), end)


class AsyncApplication(FindableNames):
    """The capabilities of an `Application` as coroutines: `await app.orders.report(actor, order)`.

    Concurrent writes share a durable commit. They return when it is on disk, and are carried out even if the caller is
    cancelled. Reads run on a few threads and time out after 8 seconds. Use an instance on one event loop at a time.

    `sync` is the application itself, for code on other threads. `readers` is the thread pool for reads, and
    `commits` the group commit that all calls share, which a delivery worker on a thread may use as well.
    """

    def __init__(self, app: Application) -> None:
        """Wrap an existing application, which stays open when this is closed."""
        self.sync = app
        self.base_url = app.base_url
        self.widget_url = app.widget_url
        self.dashboard_url = app.dashboard_url
        self.proxies = app.proxies
        self.imprint = app.imprint
        self.readers = ReadThreadPool()
        use_cases = AsyncUseCases(app._use_cases, app._storage, self.readers)
        self.commits = use_cases.group_commit
        self.orders = AsyncOrders(use_cases)
        self.invitations = AsyncInvitations(use_cases, app.invitations)
        self.delivery = AsyncDelivery(app.delivery, self.commits)
        self.reviews = AsyncReviews(use_cases)
        self.badges = AsyncBadges(use_cases)
        self.trust_marks = AsyncTrustMarks(use_cases)
        self.signing_keys = AsyncSigningKeys(use_cases)
        self.shops = AsyncShops(use_cases)
        self.api_keys = AsyncApiKeys(use_cases)
        self.members = AsyncMembers(use_cases)
        self.sign_in = AsyncSignIn(use_cases)
        self.domains = AsyncDomains(use_cases, app.domains)
        self.domain_rechecker = AsyncDomainRechecker(app.domain_rechecker)
        self.privacy = AsyncPrivacy(use_cases, app.privacy)

    async def check_ready(self) -> Condition:
        """Return the condition of storage; see `Application.check_ready`. Runs on a reader thread."""
        return await self.readers.run(self.sync.check_ready)

    def close(self, seconds: float | None = None) -> int:
        """Finish what was submitted; return how many calls are unfinished after `seconds`.

        Do not call this on the event loop. Later calls raise `ApplicationClosed`. The application stays open.
        Idempotent.
        """
        self.readers.close()
        return self.commits.close(seconds)

    async def aclose(self) -> None:
        """Finish what was submitted; later calls raise `ApplicationClosed`. The application itself stays open."""
        await asyncio.to_thread(self.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
