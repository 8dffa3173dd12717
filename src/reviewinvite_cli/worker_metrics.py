"""The metrics of `worker`, on a port of its own, as it has no HTTP service that could show them; and its traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reviewinvite_cli.context import require_http

if TYPE_CHECKING:
    from reviewinvite_core import Application, Settings
    from reviewinvite_core.ports import Telemetry
    from reviewinvite_http.metrics import Metrics


def metrics_of_worker(settings: Settings) -> Metrics | None:
    """Return the metrics of this worker, or None if `METRICS_PORT` is not set.

    Raises: `ConfigurationError` if the packages for HTTP are not installed.
    """
    if not settings.metrics_port:
        return None
    require_http()
    from reviewinvite_http.metrics import Metrics

    return Metrics()


@contextmanager
def showing_metrics(
    metrics: Metrics | None, application: Application, settings: Settings, *, is_running: Callable[[], bool]
) -> Iterator[None]:
    """Show the metrics, if there are any, as long as the block runs.

    Raises: `ConfigurationError` if the port is taken.
    """
    if metrics is None:
        yield
        return
    from reviewinvite_http.metrics.listener import shown

    with metrics.reading(application, is_worker_running=is_running), shown(metrics, settings):
        yield


@contextmanager
def recorded_spans(environment: Mapping[str, str]) -> Iterator[Telemetry | None]:
    """Yield what records spans of deliveries, if OpenTelemetry's variables name a collector.

    Raises: `ConfigurationError` if its packages are not installed.
    """
    from reviewinvite_http.tracing import traced

    with traced(environment) as spans:
        yield spans
