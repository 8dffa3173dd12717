"""Traces of requests for OpenTelemetry, if its standard variables name a collector: needs reviewinvite[otel].

A span has the route, the method, the status, the error code and the request id of an exchange, and nothing else, so no
address, key or token can be in it. Nothing is instrumented, and a client's trace context is not read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from reviewinvite_core import ConfigurationError, __version__
from reviewinvite_http.exchanges import Exchange, Observer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NANOSECONDS = 1_000_000_000


@attrs.frozen(eq=False)
class RequestTracer:
    """Makes a span of each exchange; an observer."""

    _provider: TracerProvider
    _tracer: Tracer = attrs.field(init=False)
    _clock: Callable[[], int] = time.time_ns

    @_tracer.default
    def _of_provider(self) -> Tracer:
        return self._provider.get_tracer("reviewinvite", __version__)

    def __call__(self, exchange: Exchange) -> None:
        """Record the span of an exchange that ends now."""
        from opentelemetry.context import Context
        from opentelemetry.trace import SpanKind, Status, StatusCode

        now = self._clock()
        facts: dict[str, str | int] = {
            "http.request.method": exchange.method if exchange.method != "other" else "_OTHER",
            "http.response.status_code": exchange.status,
            "http.route": exchange.route,
            "reviewinvite.request_id": exchange.request_id,
            **({"error.type": exchange.code} if exchange.status >= 500 else {}),
        }
        span = self._tracer.start_span(
            f"{exchange.method} {exchange.route}",
            context=Context(),
            kind=SpanKind.SERVER,
            attributes=facts,
            start_time=now - int(exchange.seconds * _NANOSECONDS),
        )
        if exchange.status >= 500:
            span.set_status(Status(StatusCode.ERROR))
        span.end(now)

    def close(self) -> None:
        """Send the spans that wait."""
        self._provider.shutdown()


@contextmanager
def traced(observers: list[Observer], environment: Mapping[str, str]) -> Iterator[None]:
    """Trace the requests of a block, if OpenTelemetry's variables name a collector; then send the last spans.

    Raises: `ConfigurationError`.
    """
    if tracer := request_tracer(environment):
        observers.append(tracer)
    try:
        yield
    finally:
        if tracer:
            tracer.close()


def request_tracer(environment: Mapping[str, str]) -> RequestTracer | None:
    """Return a tracer that sends spans to the collector of OpenTelemetry's variables, or None if they name none.

    Raises: `ConfigurationError` if the packages are missing.
    """
    disabled = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    silent = environment.get("OTEL_TRACES_EXPORTER", "otlp").lower() == "none"
    if disabled or silent or not any(environment.get(name) for name in _ENDPOINTS):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError:
        raise ConfigurationError(
            "OTEL_EXPORTER_OTLP_ENDPOINT needs other packages: install reviewinvite[otel]"
        ) from None
    resource = Resource.create({"service.name": environment.get("OTEL_SERVICE_NAME", "reviewinvite")})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return RequestTracer(provider)
