"""Spans of requests and deliveries: routes, states and figures, and nothing secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from litestar.testing import TestClient
from tests.core.usecases.harness import MailScript, ScriptedMailer

from reviewinvite_core import Application, AsyncApplication, OrderReport, Settings, accepted, build
from reviewinvite_core.ports import AnswerLost, Rejected, Unreachable
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.app import create_app
from reviewinvite_http.context import ServerContext
from reviewinvite_http.exchanges import Exchange
from reviewinvite_http.tracing import SpanRecorder, span_recorder

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

pytest.importorskip("opentelemetry.sdk")

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SITE = "molen"


class InMemory:
    """A recorder of spans, and those that it has recorded."""

    def __init__(self) -> None:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self._exporter, provider = InMemorySpanExporter(), TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.recorder = SpanRecorder(provider)

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        return list(self._exporter.get_finished_spans())


def an_application(**parts: Any) -> Application:
    app = build(Settings(database_url="memory:", mail_url="recording:"), **parts)
    app.shops.add(a_shop(SITE))
    return app


def seconds_of(span: ReadableSpan) -> float:
    assert span.start_time is not None
    assert span.end_time is not None
    return float(span.end_time - span.start_time) / 1e9


def test_a_span_has_the_route_of_its_request_and_no_secret() -> None:
    traces, app = InMemory(), an_application()
    key = accepted(app.api_keys.create(SITE, "tests")).secret.text
    context = ServerContext(AsyncApplication(app), observers=[traces.recorder.observe])
    headers = {"Authorization": f"Bearer {key}", "Cookie": "session=planted", "X-Request-Id": "mine"}
    with TestClient(create_app(app, server=context)) as client:
        client.post("/v1/orders?to=planted", json={"email": "planted@example.com"}, headers=headers)
        client.get("/r/planted")
    context.app.close()
    app.close()
    order, page = traces.spans
    assert (order.name, order.kind.name) == ("POST /v1/orders", "SERVER")
    assert order.attributes == {
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "http.route": "/v1/orders",
        "reviewinvite.request_id": "mine",
    }
    assert (page.name, page.status.status_code.name) == ("GET /r/...", "UNSET")
    assert seconds_of(order) >= 0
    sent = "".join(span.to_json() for span in (order, page))
    assert not [secret for secret in ("planted", key, "testclient") if secret in sent]


def test_a_span_lasts_as_long_as_its_request_and_names_its_error() -> None:
    traces = InMemory()
    traces.recorder.observe(Exchange("/v1/orders", "other", 503, 1.5, "mine", "storage_unavailable"))
    (span,) = traces.spans
    assert seconds_of(span) == 1.5
    assert span.attributes is not None
    assert span.attributes["error.type"] == "storage_unavailable"
    assert span.attributes["http.request.method"] == "_OTHER"
    assert span.status.status_code.name == "ERROR"


@pytest.mark.parametrize(
    ("given", "is_continued"),
    [
        ([f"00-{TRACE}-{PARENT}-01"], True),
        ([f"00-{TRACE}-{PARENT}-01", f"00-{TRACE}-{PARENT}-01"], False),
        ([f"ff-{TRACE}-{PARENT}-01"], False),
        ([f"00-{'0' * 32}-{PARENT}-01"], False),
        ([f"00-{TRACE}-{PARENT}-01-planted"], False),
        (["planted"], False),
        ([], False),
    ],
)
def test_a_request_continues_a_well_formed_trace_and_nothing_else(given: list[str], is_continued: bool) -> None:
    traces, app = InMemory(), an_application()
    context = ServerContext(AsyncApplication(app), observers=[traces.recorder.observe])
    of_client = [("tracestate", "vendor=planted"), ("baggage", "user=planted")]
    with TestClient(create_app(app, server=context)) as client:
        client.get("/healthz", headers=[*of_client, *(("traceparent", each) for each in given)])
    context.app.close()
    app.close()
    (span,) = traces.spans
    assert span.context is not None
    assert (format(span.context.trace_id, "032x") == TRACE) is is_continued
    assert (format(span.parent.span_id, "016x") if span.parent else None) == (PARENT if is_continued else None)
    assert "planted" not in span.to_json()
    assert not span.context.trace_state


def test_a_span_of_a_delivery_has_its_result_and_duration_and_no_address_or_token() -> None:
    scripts = [
        MailScript(),
        MailScript(at_stage=Rejected("550 5.1.1", no_mailbox=True)),
        MailScript(at_stage=Unreachable("planted")),
        MailScript(answer=AnswerLost()),
    ]
    traces, mailer = InMemory(), ScriptedMailer(*scripts)
    app = an_application(mailer=mailer)
    app.telemetry.add(traces.recorder)
    caller = accepted(app.shops.act_for(SITE))
    for number in range(len(scripts)):
        order = OrderReport(email=f"planted{number}@example.com", order_number="9876", delay_days=0)
        app.orders.report(caller, order)
    ended = {invitation.invite_id: invitation for invitation in app.delivery.once()}
    app.close()
    assert {span.name for span in traces.spans} == {"deliver invitation"}
    assert {span.kind.name for span in traces.spans} == {"CLIENT"}
    attributes = [dict(span.attributes or {}) for span in traces.spans]
    assert {each["reviewinvite.invite_id"] for each in attributes} == set(ended)
    for each in attributes:
        left = ended[str(each["reviewinvite.invite_id"])]
        assert (each["reviewinvite.state"], each["reviewinvite.reason"]) == (left.state, left.reason)
    errors = {each["reviewinvite.reason"]: each.get("error.type") for each in attributes}
    failures = ("refused", "unreachable", "answer_lost")
    assert errors == {"accepted": None, **{failure: failure for failure in failures}}
    assert {span.status.status_code.name for span in traces.spans} == {"UNSET", "ERROR"}
    assert all(seconds_of(span) > 0 for span in traces.spans)
    sent = "".join(span.to_json() for span in traces.spans).lower()
    tokens = [
        line.split("/")[4].split(".")[0].lower() for message in mailer.staged for line in links_in(message.content)
    ]
    assert len(tokens) >= len(scripts)
    assert not [secret for secret in ("planted", "9876", "example.com", *tokens) if secret in sent]


def links_in(letter: bytes) -> list[str]:
    return [word for word in letter.decode().split() if word.startswith("http://127.0.0.1:8000/r/")]


def test_what_is_swept_is_no_delivery() -> None:
    from datetime import timedelta

    from reviewinvite_core.testing.builders import ManualClock

    traces, clock = InMemory(), ManualClock()
    app = an_application(clock=clock, telemetry=traces.recorder)
    app.orders.report(accepted(app.shops.act_for(SITE)), OrderReport(email="anna@example.com", delay_days=0))
    clock.advance(timedelta(days=400))
    assert [each.state for each in app.delivery.once()] == ["expired"]
    app.close()
    assert traces.spans == []


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
    assert span_recorder(variables) is None


def test_a_collector_that_is_named_gets_spans() -> None:
    recorder = span_recorder({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    assert recorder is not None
    recorder.close()
