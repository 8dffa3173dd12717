"""The application: everything the service does, by capability."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from reviewinvite_core.adapters.job_log import JobLog
from reviewinvite_core.application.api_keys import ApiKeys
from reviewinvite_core.application.badges import Badges
from reviewinvite_core.application.delivery import Delivery
from reviewinvite_core.application.domain_recheck import DomainRechecker
from reviewinvite_core.application.domains import Domains
from reviewinvite_core.application.facade import FindableNames
from reviewinvite_core.application.invitations import Invitations
from reviewinvite_core.application.members import Members
from reviewinvite_core.application.orders import Orders
from reviewinvite_core.application.privacy import Privacy
from reviewinvite_core.application.reviews import Reviews
from reviewinvite_core.application.shops import Shops
from reviewinvite_core.application.sign_in import SignIn
from reviewinvite_core.application.signing_keys import SigningKeys
from reviewinvite_core.application.telemetry import HarmlessTelemetry
from reviewinvite_core.application.trust_marks import TrustMarks
from reviewinvite_core.domain.client_address import TrustedProxies
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.domain.imprint import Imprint
from reviewinvite_core.execution import UseCases
from reviewinvite_core.ports import Condition, Connections, PublicSuffixes, Storage
from reviewinvite_core.usecases.context import UnitContext


class Application(FindableNames):
    """Everything the service does, by capability.

    orders            report completed orders
    invitations       list, show, cancel, send, resolve and retry invitations
    delivery          send the invitations that are due
    reviews           write, list, moderate and reply to reviews
    badges            show badges and count their views
    trust_marks       grant, revoke and verify trust marks
    signing_keys      publish, rotate and revoke the keys that sign statements
    shops             add, list and change shops, and act for one
    api_keys          create, list and revoke API keys
    members           add, list and remove members of shops, and list what was changed
    sign_in           sign members in by links, and keep their sessions
    domains           manage the hosts of shops; `domain_rechecker` verifies them again
    privacy           suppress, export and erase personal data

    `help(app.orders)` explains the methods of `orders`, and likewise for the others. `proxies` are the proxies whose
    headers are trusted. `widget_url` is the public URL from which pages load the badge, and `dashboard_url` that of the
    dashboard, both without a trailing slash. `imprint` says who runs the service. `telemetry` passes what happens on to
    those that `telemetry.add(...)` adds. `metrics_token` is what `/metrics` asks for, or None if there is no such page.

    A refusal is a result; `accepted(...)` turns it into an exception. All calls are safe from any thread. Close the
    application when done, or use it in a `with` block; later calls raise `ApplicationClosed`.
    """

    def __init__(
        self,
        *,
        use_cases: UseCases[UnitContext],
        storage: Storage,
        delivery: Delivery,
        domain_rechecker: DomainRechecker,
        public_suffixes: PublicSuffixes,
        proxies: TrustedProxies,
        widget_url: str,
        dashboard_url: str,
        imprint: Imprint,
        telemetry: HarmlessTelemetry,
        metrics_token: str | None,
        jobs: JobLog,
    ) -> None:
        """Do not call this; use `build`."""
        self._use_cases = use_cases
        self._storage = storage
        self.orders = Orders(use_cases)
        self.invitations = Invitations(use_cases, delivery._retries)
        self.delivery = delivery
        self.reviews = Reviews(use_cases)
        self.badges = Badges(use_cases)
        self.trust_marks = TrustMarks(use_cases)
        self.signing_keys = SigningKeys(use_cases)
        self.shops = Shops(use_cases)
        self.api_keys = ApiKeys(use_cases)
        self.members = Members(use_cases)
        self.sign_in = SignIn(use_cases)
        self.domains = Domains(use_cases, public_suffixes, domain_rechecker)
        self.domain_rechecker = domain_rechecker
        self.privacy = Privacy(use_cases, storage.compact)
        self.proxies = proxies
        self.widget_url = widget_url
        self.dashboard_url = dashboard_url
        self.imprint = imprint
        self.telemetry = telemetry
        self.metrics_token = metrics_token
        self.jobs = jobs

    @property
    def base_url(self) -> str:
        """The public URL of the service, without a trailing slash. Spec: §8, Settings."""
        return self.delivery._config.base_url

    def now(self) -> datetime:
        """Return the current instant in UTC, by the clock of this process."""
        return self.delivery._config.clock.now()

    @property
    def connections(self) -> Connections | None:
        """The connections of this process's pool, as known without asking the server; None if there is no pool."""
        return self._storage.connections

    def check_ready(self) -> Condition:
        """Return the condition of storage, if it responds, has the schema of this release and holds a key ring.

        If the last write of this process failed, another one is tried first, which changes nothing.

        Raises: `StorageUnavailable` otherwise.
        """
        if self._storage.last_write_failed:
            self.check_writable()
        if self._storage.read(lambda store: store.sealed_key_ring()) is None:
            raise StorageUnavailable("there is no key ring")
        try:
            return self._storage.condition()
        except ConfigurationError as changed:  # another release has migrated it since we started
            raise StorageUnavailable(str(changed)) from changed

    def check_writable(self) -> None:
        """Try to write, with no change to what is stored.

        Raises: `StorageUnavailable` if that fails.
        """
        self._storage.try_writing()

    def close(self) -> None:
        """Release storage and mail; later calls raise `ApplicationClosed`. Idempotent."""
        try:
            self.delivery._close_mailer()
        finally:
            self._storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
