"""Spans of requests: routes and figures, and nothing that a client wrote."""

from __future__ import annotations

import pytest
from litestar.testing import TestClient

from reviewinvite_core import AsyncApplication, Settings, accepted, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.app import create_app
from reviewinvite_http.context import ServerContext
from reviewinvite_http.tracing import RequestTracer, request_tracer

pytest.importorskip("opentelemetry.sdk")


def test_a_span_has_the_route_of_its_request_and_no_secret() -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    app.shops.add(a_shop("molen"))
    key = accepted(app.api_keys.create("molen", "tests")).secret.text
    context = ServerContext(AsyncApplication(app), observers=[RequestTracer(provider)])
    headers = {"Authorization": f"Bearer {key}", "Cookie": "session=planted", "X-Request-Id": "mine"}
    with TestClient(create_app(app, server=context)) as client:
        client.post("/v1/orders?to=planted", json={"email": "planted@example.com"}, headers=headers)
        client.get("/r/planted", headers={"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
    context.app.close()
    app.close()
    order, page = exporter.get_finished_spans()
    assert (order.name, order.kind.name) == ("POST /v1/orders", "SERVER")
    assert order.attributes == {
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "http.route": "/v1/orders",
        "reviewinvite.request_id": "mine",
    }
    assert (page.name, page.status.status_code.name) == ("GET /r/...", "UNSET")
    assert order.end_time is not None
    assert order.start_time is not None
    assert order.end_time >= order.start_time
    sent = "".join(span.to_json() for span in (order, page))
    assert not [secret for secret in ("planted", key, "0af7651916cd43dd", "testclient") if secret in sent]


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_TRACES_EXPORTER": "none"},
    ],
)
def test_nothing_is_traced_unless_a_collector_is_named(variables: dict[str, str]) -> None:
    assert request_tracer(variables) is None


def test_a_collector_that_is_named_gets_a_tracer() -> None:
    tracer = request_tracer({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    assert tracer is not None
    tracer.close()
