"""Build an application from its settings: the only place where parts are wired together.

Adapters are imported where they are chosen, so that `import reviewinvite_core` stays fast.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial

from reviewinvite_core.adapters.worker_pool import EventLoopPool, EventLoopThread
from reviewinvite_core.application.application import Application
from reviewinvite_core.application.delivery import Delivery
from reviewinvite_core.application.domain_recheck import DomainRechecker
from reviewinvite_core.application.storage import ClosableStorage
from reviewinvite_core.application.telemetry import HarmlessTelemetry
from reviewinvite_core.bootstrap import adapter_factory, key_ring, mailer_factory
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain import workers
from reviewinvite_core.domain.client_address import TrustedProxies
from reviewinvite_core.domain.client_counts import ClientCounts
from reviewinvite_core.domain.imprint import Imprint
from reviewinvite_core.domain.limits import DAY, DailyQuota, Limit, day_of, fair_share
from reviewinvite_core.domain.sealing import KeyRing
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.domain.views import ViewLimits
from reviewinvite_core.execution import UseCases
from reviewinvite_core.ports import (
    Clock,
    DomainVerifier,
    Entropy,
    HighWaterMarkStore,
    Mailer,
    PublicSuffixes,
    Storage,
    Store,
    Telemetry,
    WorkerPool,
)
from reviewinvite_core.usecases.context import Policies, UnitContext
from reviewinvite_core.usecases.delivery.attempt import DeliveryConfig, DeliveryResult
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard

MOST_SHOPS = 10_000  # remembered for a day


class EmptyNumberLog:
    """Logs that a shop sends empty order numbers, once a day in each process. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._day = date.min
        self._shops: set[str] = set()

    def note(self, site_id: SiteId, at: datetime) -> None:
        """Log the shop, unless that was done on the same day (UTC)."""
        with self._lock:
            if self._day != day_of(at):
                self._day = day_of(at)
                self._shops.clear()
            if site_id.text in self._shops or len(self._shops) >= MOST_SHOPS:
                return
            self._shops.add(site_id.text)
        from reviewinvite_core.adapters import log  # slow to import, and rarely needed

        log.note_empty_number(site_id)


def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    storage: Storage | None = None,
    mailer: Mailer | None = None,
    high_water_mark: HighWaterMarkStore | None = None,
    domain_verifier: DomainVerifier | None = None,
    public_suffixes: PublicSuffixes | None = None,
    worker_pool: Callable[[], WorkerPool[DeliveryResult]] | None = None,
    monotonic: Callable[[], float] | None = None,
    create_database: bool = True,
    telemetry: Telemetry | None = None,
) -> Application:
    """Build the application; arguments replace the adapters that the settings name.

    A new database is set up if `create_database`; a SQLite file gets a secret and a mark next to it. For storage passed
    as an argument, the mark is the one passed or that `handover_mark` names, if any. `worker_pool` makes the pool that
    delivers, and `telemetry` receives what happens, for metrics. A `clock` passed as an argument is trusted at once,
    unless `monotonic` (seconds) is there to compare it.

    Raises: `ConfigurationError` (a wrong setting, secret or schema; `DatabaseMissing`); `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.domain_verification import AnyOfVerifier
    from reviewinvite_core.adapters.public_suffixes import ListedSuffixes
    from reviewinvite_core.adapters.system import SystemClock, SystemEntropy

    machine, entropy = SystemClock(), entropy or SystemEntropy()
    is_mailer_unused = mailer is None
    mailer = mailer or mailer_factory.open_mailer(settings)
    key_ring.require_shared_secret(settings)
    if storage is None and create_database:
        key_ring.require_secret_for_new(settings)
    if high_water_mark is None and (storage is None or settings.handover_mark):
        high_water_mark = adapter_factory.open_high_water_mark(settings, entropy)
    told = HarmlessTelemetry(telemetry) if telemetry else HarmlessTelemetry()
    opened = storage or adapter_factory.open_storage(settings.database_url, create=create_database)
    storage = ClosableStorage(opened, told)
    ring = _open_ring_or_close(storage, settings, entropy, high_water_mark)
    policies, client_counts = policies_from(settings), ClientCounts()
    empty_numbers, event_loop = EmptyNumberLog(), EventLoopThread()

    def context_of(store: Store) -> UnitContext:
        now = clock.now() if clock else store.now() or machine.now()
        return UnitContext(
            store=store,
            now=now,
            entropy=entropy,
            ring=ring,
            policies=policies,
            client_counts=client_counts,
            note_empty_number=empty_numbers.note,
            note_name_waiting=_note_name_waiting,
        )

    delivery = Delivery(
        config=_delivery_config(settings, mailer, clock or machine, storage, high_water_mark),
        storage=storage,
        context_of=context_of,
        new_worker_pool=worker_pool or partial(EventLoopPool, settings.mail_connections, event_loop),
        event_loop=event_loop,
        is_mailer_unused=is_mailer_unused,
        grace_seconds=settings.shutdown_seconds,
        clock_guard=_clock_guard(clock, monotonic),
        telemetry=told,
        draw_worker=partial(entropy.draw, workers.WORKER_BYTES),
        monotonic=monotonic or time.monotonic,
    )
    return Application(
        telemetry=told,
        metrics_token=settings.metrics_token,
        delivery=delivery,
        domain_rechecker=DomainRechecker(
            verifier=domain_verifier or AnyOfVerifier(),
            transactions=delivery._transactions(),
            clock_guard=_clock_guard(clock, monotonic),
            require_open=storage.require_open,
        ),
        proxies=TrustedProxies.parse(settings.trusted_proxies),
        widget_url=settings.widget_url.rstrip("/"),
        dashboard_url=settings.dashboard_url.rstrip("/"),
        imprint=Imprint(
            name=settings.operator_name, contact=settings.operator_contact, privacy_url=settings.privacy_url
        ),
        public_suffixes=public_suffixes or ListedSuffixes(),
        use_cases=UseCases(storage, context_of, told),
        storage=storage,
        jobs=adapter_factory.open_job_log(settings),
    )


def _note_name_waiting(site_id: SiteId) -> None:
    from reviewinvite_core.adapters import log  # slow to import, and rarely needed

    log.note_name_waiting(site_id)


def _open_ring_or_close(
    storage: Storage, settings: Settings, entropy: Entropy, high_water_mark: HighWaterMarkStore | None
) -> KeyRing:
    try:
        return key_ring.open_key_ring(storage, settings, entropy, high_water_mark)
    except BaseException:
        storage.close()
        raise


def _clock_guard(clock: Clock | None, monotonic: Callable[[], float] | None) -> ClockGuard | None:
    return ClockGuard(monotonic or time.monotonic) if monotonic or not clock else None


def _delivery_config(
    settings: Settings, mailer: Mailer, clock: Clock, storage: Storage, high_water_mark: HighWaterMarkStore | None
) -> DeliveryConfig:
    from reviewinvite_core.adapters.mail.render import TemplateRenderer
    from reviewinvite_core.adapters.mail.render_message import ServiceTemplateRenderer

    return DeliveryConfig(
        renderer=TemplateRenderer(settings.mail_from, settings.operator_name),
        service_renderer=ServiceTemplateRenderer(settings.mail_from, settings.operator_name),
        mailer=mailer,
        base_url=settings.base_url.rstrip("/"),
        clock=clock,
        lease=policies_from(settings).lease,
        restore_guard=RestoreGuard(store=high_water_mark, one_host=storage.one_host) if high_water_mark else None,
        pace=workers.PACE,
    )


def policies_from(settings: Settings) -> Policies:
    """Return the limits and retention periods that these settings define."""
    return Policies(
        orders_per_minute=Limit(settings.orders_per_minute, name="orders_per_minute"),
        reads_per_minute=Limit(settings.reads_per_minute, name="reads_per_minute"),
        snippets_per_minute=Limit(settings.snippets_per_minute, name="snippets_per_minute"),
        snippets_per_day=DailyQuota(settings.snippets_per_day, "snippets_per_day"),
        snippets_per_recipient=Limit(settings.snippets_per_recipient, DAY),
        snippets_per_person=Limit(settings.snippets_per_person, DAY),
        snippets_per_client=fair_share(settings.snippets_per_client_day, "snippets_per_client_day"),
        views_per_day=ViewLimits(
            free=DailyQuota(settings.views_per_day_free, "views_per_day_free"),
            member=DailyQuota(settings.views_per_day_member, "views_per_day_member"),
            percent_per_client=settings.views_per_client_percent,
        ),
        domain_recheck=timedelta(hours=settings.domain_recheck_hours),
        review_link=timedelta(days=settings.review_link_days),
        lease=timedelta(seconds=settings.lease_seconds),
        retention=timedelta(days=settings.retention_days),
        dashboard_url=settings.dashboard_url.rstrip("/"),
    )
