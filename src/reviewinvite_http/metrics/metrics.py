"""Counters of one process in a registry of their own. Implements `Telemetry`. ADR-63."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import choose_encoder

from reviewinvite_core import Application, AsyncApplication, Settings, __version__
from reviewinvite_core.values import Acknowledged, BadgeShown, MailItem, Notice, Verified
from reviewinvite_http.exchanges import Exchange
from reviewinvite_http.metrics.gauges import Gauges, StorageReader
from reviewinvite_http.metrics.results import (
    DELIVERED,
    ENDS,
    LIMITS,
    MESSAGES,
    ORDERS,
    REFUSED,
    SOURCES,
    VIEWED,
    VIEWS,
    limit_of,
    result_of_order,
    result_of_view,
)

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_UNITS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_SHARES = ("50", "90")


class Metrics:
    """All metrics of one application; without a `token`, the service's own port does not show them."""

    def __init__(self, token: str | None = None) -> None:
        """Make a registry with every series at 0."""
        disable_created_metrics()  # type: ignore[no-untyped-call]  # series of when each was made
        self.token = token
        self.registry = registry = CollectorRegistry()
        self.gauges = Gauges()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)
        registry.register(self.gauges)
        Info("reviewinvite_build", "The running release.", registry=registry).info({"version": __version__})
        self._orders = _counters(
            registry, "reviewinvite_orders", "Reported orders by where they came from and what became of them.",
            ("source", "result"), ORDERS,
        )  # fmt: skip
        self._limits = _counters(
            registry, "reviewinvite_limits_reached", "Calls refused by a limit, by the name of its setting.",
            ("limit",), [(limit,) for limit in LIMITS],
        )  # fmt: skip
        self._shares = _counters(
            registry, "reviewinvite_daily_shares_reached", "Shops that reached a share of a daily limit, in per cent.",
            ("limit", "percent"), [(limit, share) for limit in ("snippets", "views") for share in _SHARES],
        )  # fmt: skip
        self._views = _counters(
            registry, "reviewinvite_views", "Requests for badges and statements by what became of them.",
            ("of", "result"), VIEWS,
        )  # fmt: skip
        self._deliveries = _counters(
            registry, "reviewinvite_deliveries", "Invitations by how their delivery, or their waiting, ended.",
            ("result",), [(end,) for end in ENDS],
        )  # fmt: skip
        self._messages = _counters(
            registry, "reviewinvite_messages", "Messages to members by kind and by how their delivery ended.",
            ("kind", "result"), MESSAGES,
        )  # fmt: skip
        self._refused = Counter(
            "reviewinvite_refused", "Answers of the mail server that refused an e-mail, for now or for good.",
            registry=registry,
        )  # fmt: skip
        self._delivery_seconds = Histogram(
            "reviewinvite_delivery_seconds", "Duration of deliveries, until their result is stored.",
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._in_flight = Gauge(
            "reviewinvite_in_flight", "Invitations and messages that the worker has claimed.", registry=registry
        )
        self._commits = _counters(
            registry, "reviewinvite_commits", "Transactions that write, by whether storage took them.",
            ("result",), [("stored",), ("lost",)],
        )  # fmt: skip
        self._commit_seconds = Histogram(
            "reviewinvite_commit_seconds", "Duration of transactions that write.", buckets=_SECONDS, registry=registry
        )
        self._commit_units = Histogram(
            "reviewinvite_commit_units", "Units of work that share a transaction.", buckets=_UNITS, registry=registry
        )
        self._requests = Counter(
            "reviewinvite_http_requests", "Requests by route, method and status.",
            ("route", "method", "status"), registry=registry,
        )  # fmt: skip
        self._request_seconds = Histogram(
            "reviewinvite_http_request_seconds", "Time until a response began, by route.",
            ("route",), buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._requests_by: dict[tuple[str, str, int], Counter] = {}
        self._seconds_by: dict[str, Histogram] = {}
        self._counts: Mapping[str, Callable[[object], None]] = {
            **{use_case: self._counting_orders(source) for use_case, source in SOURCES.items()},
            **{use_case: self._counting_views(of) for use_case, of in VIEWED.items()},
        }

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Return all metrics, in the format that the `Accept` header prefers, and their content type."""
        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type

    @contextmanager
    def reading(
        self,
        app: Application,
        *,
        is_worker_running: Callable[[], bool] | None = None,
        on_loop: AsyncApplication | None = None,
    ) -> Iterator[None]:
        """Show what this application's storage and pools say, as long as the block runs."""
        self.gauges.is_worker_running = is_worker_running
        self.begin_reading(app, on_loop=on_loop)
        try:
            yield
        finally:
            self.end_reading()

    def begin_reading(self, app: Application, *, on_loop: AsyncApplication | None = None) -> None:
        """Show what this application's storage and pools say, unless that is done already."""
        if self.gauges.reader is None:
            self.gauges.reader = StorageReader(app)
            self.gauges.connections = lambda: app.connections
            self.gauges.app = on_loop

    def end_reading(self) -> None:
        """Read storage no more."""
        if self.gauges.reader:
            self.gauges.reader.stop()
            self.gauges.reader = None

    def observe(self, exchange: Exchange) -> None:
        """Count a request; an observer of exchanges."""
        key = exchange.route, exchange.method, exchange.status
        count = self._requests_by.get(key)
        if count is None:
            count = self._requests_by[key] = self._requests.labels(exchange.route, exchange.method, exchange.status)
        count.inc()
        seconds = self._seconds_by.get(exchange.route)
        if seconds is None:
            seconds = self._seconds_by[exchange.route] = self._request_seconds.labels(exchange.route)
        seconds.observe(exchange.seconds)

    def answered(self, use_case: str, result: object) -> None:
        if count := self._counts.get(use_case):
            count(result)
        elif limit := limit_of(result):
            self._limits[(limit,)].inc()

    def committed(self, units: int, seconds: float, *, stored: bool) -> None:
        self._commits[("stored" if stored else "lost",)].inc()
        self._commit_seconds.observe(seconds)
        self._commit_units.observe(units)

    def delivered(self, item: MailItem, seconds: float | None) -> None:
        if seconds is not None:
            self._delivery_seconds.observe(seconds)
        if seconds is not None and item.reason in REFUSED:
            self._refused.inc()
        end = DELIVERED.get(item.state, item.state.value)
        if isinstance(item, Notice):
            self._messages[item.kind.value, end].inc()
        else:
            self._deliveries[(end,)].inc()

    def in_flight(self, count: int) -> None:
        self._in_flight.set(count)

    def _counting_orders(self, source: str) -> Callable[[object], None]:
        def count(answer: object) -> None:
            for each in answer if isinstance(answer, list | tuple) else (answer,):
                self._orders[source, result_of_order(each)].inc()
                self._count_limits("snippets", each)

        return count

    def _counting_views(self, of: str) -> Callable[[object], None]:
        def count(answer: object) -> None:
            if result := result_of_view(answer):
                self._views[of, result].inc()
                self._count_limits("views", answer)

        return count

    def _count_limits(self, name: str, answer: object) -> None:
        if limit := limit_of(answer):
            self._limits[(limit,)].inc()
        elif isinstance(answer, Acknowledged | BadgeShown | Verified):
            for crossing in answer.crossed:
                self._shares[name, str(crossing.share)].inc()


def metrics_for(settings: Settings) -> Metrics | None:
    """Return the metrics that the settings ask for, or None if they ask for none."""
    return Metrics(settings.metrics_token) if settings.metrics_port or settings.metrics_token else None


def _counters(
    registry: CollectorRegistry, name: str, documentation: str, labels: Sequence[str], values: Sequence[tuple[str, ...]]
) -> Mapping[tuple[str, ...], Counter]:
    """Return a counter for each value of the labels: finding one by its labels would take as long as counting."""
    counter = Counter(name, documentation, labels, registry=registry)
    return {each: counter.labels(*each) for each in values}
