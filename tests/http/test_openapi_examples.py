"""The examples of the OpenAPI description: there is one of each body, true of its schema and of the service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import jsonschema_rs
import pytest
from tests.http.service import OWN_HOST, SITE, Answer, Service, http_request
from tests.http.serving import serving
from tests.http.test_openapi import DESCRIPTION

from reviewinvite_core import Invalid, NewReply, OrderReport, SnippetReport
from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.domain.verifying import verify_statement
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.wire.domains import NewDomain
from reviewinvite_core.wire.json_converter import NoFields, structure_body
from reviewinvite_core.wire.shops import NewBadge, SettingsUpdate

BASE_URL = "https://reviews.example.nl"


def bodies(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the description of each body of a request or response."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            described = {"request": operation.get("requestBody", {}), **operation["responses"]}
            for name, body in described.items():
                for media_type, content in body.get("content", {}).items():
                    yield f"{method} {path} {name} {media_type}", content


def examples(content: dict[str, Any]) -> list[Any]:
    """Return the examples of a body."""
    named = [each["value"] for each in content.get("examples", {}).values()]
    return [*named, content["example"]] if "example" in content else named


def error_example(path: str, status: int, method: str = "get") -> dict[str, Any]:
    """Return the example of an error."""
    content = DESCRIPTION["paths"][path][method]["responses"][str(status)]["content"]["application/json"]
    (example,) = examples(content)
    assert isinstance(example, dict)
    return example


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with serving(base_url=BASE_URL) as service:
        service.app.shops.add(a_shop(SITE))
        service.app.domains.add(SITE, OWN_HOST, assume_verified=True)
        yield service


BODIES_DESCRIBED = dict(bodies(DESCRIPTION))
REQUESTS: tuple[type, ...] = (OrderReport, SnippetReport, NewReply, NoFields, SettingsUpdate, NewBadge, NewDomain)


def test_each_body_has_an_example() -> None:
    assert len(BODIES_DESCRIBED) > 150
    assert [name for name, content in BODIES_DESCRIBED.items() if not examples(content)] == []


def test_each_example_is_as_its_schema_says() -> None:
    for content in BODIES_DESCRIBED.values():
        schema = {**content["schema"], "components": DESCRIPTION["components"]}
        for example in examples(content):
            jsonschema_rs.validate(schema, example)


def test_the_example_of_each_request_is_accepted() -> None:
    classes = {cls.__name__: cls for cls in REQUESTS}
    requests = [content for name, content in BODIES_DESCRIBED.items() if " request " in name]
    named = [(content["schema"]["$ref"].rpartition("/")[2], content) for content in requests]
    assert {name for name, _ in named} == set(classes)
    for name, content in named:
        body = classes[name]
        for example in examples(content):
            taken = structure_body(json.dumps(example).encode(), body)
            assert not isinstance(taken, Invalid)


def test_the_statement_of_the_example_is_signed_by_its_first_key() -> None:
    (signed,) = examples(BODIES_DESCRIBED["get /v1/verify/{site_id} 200 application/json"])
    (keys,) = examples(BODIES_DESCRIBED["get /v1/badge/public-keys 200 application/jwk-set+json"])
    then = datetime.fromisoformat(signed["statement"]["issuedAt"])
    first = {"keys": keys["keys"][:1]}
    assert isinstance(verify_statement(json.dumps(signed).encode(), json.dumps(first).encode(), now=then), Statement)


def ask(service: Service, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
    if body is not None:
        headers.setdefault("Content_Type", "application/json")
    return http_request(service.address, method, path, body, Authorization=f"Bearer {service.a_key()}", **headers)


def without_id(error: dict[str, Any]) -> dict[str, Any]:
    """Return an error as any request may get it."""
    return {**error, "requestId": ""}


def test_the_example_of_an_error_is_what_the_service_sends(service: Service) -> None:
    unknown = "/v1/reviews/019cb0a7-5e21-7d44-9f0b-6a1c83e5d702"
    for path, status, answer in (
        ("/v1/shop", 401, http_request(service.address, "GET", "/v1/shop", Authorization="Bearer rvi_wrong")),
        ("/v1/reviews/{review_id}", 404, ask(service, "GET", unknown)),
        ("/v1/reviews", 422, ask(service, "GET", "/v1/reviews?limit=101")),
        ("/v1/verify/{site_id}", 404, http_request(service.address, "GET", "/v1/verify/nobody")),
    ):
        assert answer.status == status
        assert without_id(answer.json) == without_id(error_example(path, status))
    for status, answer in (
        (413, ask(service, "POST", "/v1/orders", b" " * 20_000)),
        (415, ask(service, "POST", "/v1/orders", b"{}", Content_Type="text/plain")),
        (422, ask(service, "POST", "/v1/orders", b"{}")),
    ):
        assert answer.status == status
        assert without_id(answer.json) == without_id(error_example("/v1/orders", status, "post"))


def test_an_answer_has_the_keys_of_its_example(service: Service) -> None:
    order = b'{"email": "anna@example.com", "orderNumber": "1001"}'
    for method, path, status, answer in (
        ("post", "/v1/orders", 201, ask(service, "POST", "/v1/orders", order)),
        ("post", "/v1/orders", 200, ask(service, "POST", "/v1/orders", order)),
        ("get", "/v1/shop", 200, ask(service, "GET", "/v1/shop")),
        ("get", "/v1/reviews", 200, ask(service, "GET", "/v1/reviews")),
        ("get", "/v1/invitations", 200, ask(service, "GET", "/v1/invitations")),
        ("get", "/v1/domains", 200, ask(service, "GET", "/v1/domains")),
        ("get", "/healthz", 200, ask(service, "GET", "/healthz")),
        ("get", "/v1/verify/{site_id}", 200, ask(service, "GET", f"/v1/verify/{SITE}")),
    ):
        assert answer.status == status
        (example,) = examples(BODIES_DESCRIBED[f"{method} {path} {status} application/json"])
        assert sorted(answer.json) == sorted(example)
