"""The application for asyncio: the same calls as awaitables. ADR-3, ADR-41."""

from __future__ import annotations

import asyncio
from typing import Self

from reviewinvite_core.bootstrap.application.api_keys import AsyncApiKeys
from reviewinvite_core.bootstrap.application.application import Application
from reviewinvite_core.bootstrap.application.badges import AsyncBadges
from reviewinvite_core.bootstrap.application.delivery import AsyncDelivery
from reviewinvite_core.bootstrap.application.domain_rechecker import AsyncDomainRechecker
from reviewinvite_core.bootstrap.application.domains import AsyncDomains
from reviewinvite_core.bootstrap.application.invitations import AsyncInvitations
from reviewinvite_core.bootstrap.application.members import AsyncMembers
from reviewinvite_core.bootstrap.application.orders import AsyncOrders
from reviewinvite_core.bootstrap.application.privacy import AsyncPrivacy
from reviewinvite_core.bootstrap.application.reviews import AsyncReviews
from reviewinvite_core.bootstrap.application.shops import AsyncShops
from reviewinvite_core.bootstrap.application.sign_in import AsyncSignIn
from reviewinvite_core.bootstrap.application.signing_keys import AsyncSigningKeys
from reviewinvite_core.bootstrap.application.trust_marks import AsyncTrustMarks
from reviewinvite_core.bootstrap.event_loop import AsyncUseCases, EventLoopCommits
from reviewinvite_core.bootstrap.findable_names import FindableNames
from reviewinvite_core.bootstrap.read_pool import ReadThreadPool
from reviewinvite_core.execution import GroupCommit
from reviewinvite_core.ports import Condition


class AsyncApplication(FindableNames):
    """The capabilities of an `Application` as coroutines: `await app.orders.report(caller, order)`.

    Concurrent writes share a durable commit. They return when it is on disk, and are carried out even if the caller is
    cancelled. Reads run on a few threads and time out after 8 seconds. Use an instance on one event loop at a time.

    `sync` is the application itself, for code on other threads. `readers` is the thread pool for reads.
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
        self._commits = EventLoopCommits(app._storage)
        use_cases = AsyncUseCases(app._use_cases, self._commits, self.readers)
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

    @property
    def commits(self) -> GroupCommit:
        """The group commit that all calls share; a delivery worker on a thread may also use it."""
        return self._commits.group_commit

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
