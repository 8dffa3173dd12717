"""Values as they are when Prometheus asks for them; all are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import attrs
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from reviewinvite_core import AsyncApplication, Connections
from reviewinvite_http.metrics.reading import StorageReader

_CONNECTIONS = "Connections of this process to PostgreSQL: open, in use or being opened, and waited for."


@attrs.define(eq=False)
class Gauges(Collector):
    """What a process shows besides its counters; each part is None until there is one."""

    reader: StorageReader | None = None
    connections: Callable[[], Connections | None] = lambda: None
    app: AsyncApplication | None = None
    is_worker_running: Callable[[], bool] | None = None

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the metrics with their present values."""
        yield from self._of_storage()
        yield from self._of_pools()
        yield GaugeMetricFamily(
            "reviewinvite_worker_running",
            "1 if the deliveries of this process run, 0 if they ended or it has none.",
            float(self.is_worker_running() if self.is_worker_running else 0),
        )

    def _of_storage(self) -> Iterator[GaugeMetricFamily]:
        if self.reader is None:
            return
        yield GaugeMetricFamily(
            "reviewinvite_storage_reading_age_seconds",
            "Age of the reading that due, oldest due, uncertain and paused come from.",
            self.reader.age_seconds,
        )
        if reading := self.reader.newest:
            backlog = reading.backlog
            yield GaugeMetricFamily(
                "reviewinvite_due", "Invitations due in the whole database, counted up to 100,000.", backlog.due
            )
            yield GaugeMetricFamily(
                "reviewinvite_oldest_due_seconds",
                "How long the longest due invitation has been due; 0 if none is.",
                backlog.oldest_due.total_seconds(),
            )
            yield GaugeMetricFamily(
                "reviewinvite_uncertain",
                "Invitations that wait for an operator's word, counted up to 1,000.",
                backlog.uncertain,
            )
            yield GaugeMetricFamily(
                "reviewinvite_deliveries_paused",
                "1 if nothing is delivered because the database may be an older copy.",
                float(reading.is_paused),
            )

    def _of_pools(self) -> Iterator[GaugeMetricFamily]:
        if figures := self.connections():
            family = GaugeMetricFamily("reviewinvite_database_connections", _CONNECTIONS, labels=["state"])
            family.add_metric(["open"], figures.open)
            family.add_metric(["in_use"], figures.in_use)
            family.add_metric(["waiting"], figures.waiting)
            yield family
        if self.app:
            family = GaugeMetricFamily(
                "reviewinvite_reads", "Reads of storage on the reader threads: running and waiting.", labels=["state"]
            )
            family.add_metric(["running"], self.app.readers.running)
            family.add_metric(["waiting"], self.app.readers.waiting)
            yield family
