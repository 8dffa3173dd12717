"""Traces for OpenTelemetry, if its standard variables name a collector: needs reviewinvite[otel].

A request's span has its route, method, status, error code and request id. A delivery's has the state, the reason and
the id of an invitation or message. They have nothing else, so no address, key or token can be in them. Of what a client
sends, a span continues the `traceparent`, which is two numbers; `tracestate` and `baggage` are free text, and not read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from reviewinvite_core import ConfigurationError, Reason, __version__
from reviewinvite_core.ports import NoTelemetry
from reviewinvite_core.values import MailItem, Notice

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import SpanKind, Tracer

    from reviewinvite_http.exchanges import Exchange

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NANOSECONDS = 1_000_000_000
_FAILURES = frozenset(
    (
        *(Reason.UNREACHABLE, Reason.REFUSED_FOR_NOW, Reason.REFUSED, Reason.RETRIES_EXHAUSTED, Reason.NOT_RENDERABLE),
        *(Reason.FAULT, Reason.MARK_UNWRITTEN, Reason.ANSWER_LOST),
    )
)


@attrs.frozen(eq=False)
class SpanRecorder(NoTelemetry):
    """Makes a span of each exchange that it observes. Implements `Telemetry`: makes a span of each delivery."""

    _provider: TracerProvider
    _tracer: Tracer = attrs.field(init=False)
    _clock: Callable[[], int] = time.time_ns

    @_tracer.default
    def _of_provider(self) -> Tracer:
        return self._provider.get_tracer("reviewinvite", __version__)

    def observe(self, exchange: Exchange) -> None:
        """Record the span of an exchange that ends now; an observer of exchanges."""
        from opentelemetry.trace import SpanKind

        facts: dict[str, str | int] = {
            "http.request.method": exchange.method if exchange.method != "other" else "_OTHER",
            "http.response.status_code": exchange.status,
            "http.route": exchange.route,
            "reviewinvite.request_id": exchange.request_id,
        }
        error = exchange.code if exchange.status >= 500 else ""
        name = f"{exchange.method} {exchange.route}"
        self._record(name, SpanKind.SERVER, facts, exchange.seconds, error, exchange.trace_parent)

    def delivered(self, item: MailItem, seconds: float | None) -> None:
        """Record the span of a delivery that ends now; there is none if nothing was delivered."""
        from opentelemetry.trace import SpanKind

        if seconds is None:
            return
        if isinstance(item, Notice):
            what, told = "message", {"message_id": item.message_id, "kind": item.kind.value}
        else:
            what, told = "invitation", {"invite_id": item.invite_id}
        reason = item.reason.value if item.reason else ""
        told |= {"state": item.state.value, "reason": reason}
        facts = {f"reviewinvite.{name}": fact for name, fact in told.items()}
        self._record(f"deliver {what}", SpanKind.CLIENT, facts, seconds, reason if item.reason in _FAILURES else "")

    def close(self) -> None:
        """Send the spans that wait."""
        self._provider.shutdown()

    def _record(
        self,
        name: str,
        kind: SpanKind,
        facts: Mapping[str, str | int],
        seconds: float,
        error: str,
        trace_parent: str = "",
    ) -> None:
        from opentelemetry.context import Context
        from opentelemetry.trace import Status, StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        now = self._clock()
        span = self._tracer.start_span(
            name,
            context=TraceContextTextMapPropagator().extract({"traceparent": trace_parent}, Context()),
            kind=kind,
            attributes={**facts, **({"error.type": error} if error else {})},
            start_time=now - int(seconds * _NANOSECONDS),
        )
        if error:
            span.set_status(Status(StatusCode.ERROR))
        span.end(now)


@contextmanager
def traced(environment: Mapping[str, str]) -> Iterator[SpanRecorder | None]:
    """Yield what records spans, if OpenTelemetry's variables name a collector; after the block, send the last spans.

    Raises: `ConfigurationError`.
    """
    spans = span_recorder(environment)
    try:
        yield spans
    finally:
        if spans:
            spans.close()


def span_recorder(environment: Mapping[str, str]) -> SpanRecorder | None:
    """Return what sends spans to the collector of OpenTelemetry's variables, or None if they name none.

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
    return SpanRecorder(provider)
