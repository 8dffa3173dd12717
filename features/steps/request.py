"""Requests to the orders API, and what stands in the answers: for the rules that HTTP alone has."""

from __future__ import annotations

import json
import re

from features.drivers.http import JSON, HttpDriver, JsonResponse
from features.steps.context import ScenarioContext
from pytest_bdd import parsers, then, when

ORDER = b'{"email": "anna@example.com", "orderNumber": "1001"}'


def last_response(context: ScenarioContext) -> JsonResponse:
    assert context.response is not None
    return context.response


def post(driver: HttpDriver, context: ScenarioContext, shop: str, body: bytes, media_type: str = JSON) -> None:
    headers = {"Authorization": f"Bearer {context.key_of(shop)}", "Content-Type": media_type}
    context.response = driver.post(body, headers)


@when(parsers.parse("{shop} posts {body}"))
def posts(driver: HttpDriver, context: ScenarioContext, shop: str, body: str) -> None:
    post(driver, context, shop, body.encode())


@when(parsers.parse("{shop} sends an order of {size:d} bytes"))
def sends_a_large_one(driver: HttpDriver, context: ScenarioContext, shop: str, size: int) -> None:
    post(driver, context, shop, ORDER.ljust(size))


@when(parsers.parse("{shop} sends an order as {media_type}"))
def sends_as(driver: HttpDriver, context: ScenarioContext, shop: str, media_type: str) -> None:
    post(driver, context, shop, ORDER, media_type)


@when("someone sends an order without a key")
def sends_without_a_key(driver: HttpDriver, context: ScenarioContext) -> None:
    context.response = driver.post(ORDER, {"Content-Type": JSON})


@when(parsers.parse('someone sends an order with the header "Authorization: {value}"'))
def sends_with(driver: HttpDriver, context: ScenarioContext, value: str) -> None:
    context.response = driver.post(ORDER, {"Content-Type": JSON, "Authorization": value})


@when(
    parsers.re(
        r"(?P<shop>\w+) sends (?:an order|the order (?P<number>\d+)) "
        r'with the header "(?P<name>X-Request-Id|Idempotency-Key): (?P<value>.+)"'
    )
)
def sends_with_a_header(
    driver: HttpDriver, context: ScenarioContext, shop: str, number: str | None, name: str, value: str
) -> None:
    headers = {"Authorization": f"Bearer {context.key_of(shop)}", "Content-Type": JSON, name: value}
    context.response = driver.post(ORDER.replace(b"1001", (number or "1001").encode()), headers)


@then("its request id is in the header X-Request-Id and in the body")
def id_is_everywhere(context: ScenarioContext) -> None:
    response = last_response(context)
    assert response.headers["x-request-id"] == response.body["requestId"]


@then("its request id is one of ours")
def id_is_ours(context: ScenarioContext) -> None:
    assert re.fullmatch("[0-9a-f]{24}", last_response(context).headers["x-request-id"])


@then(parsers.re("its request id is (?P<value>[a-z]+-.+)"))
def id_is(context: ScenarioContext, value: str) -> None:
    assert last_response(context).headers["x-request-id"] == value


@then(parsers.parse("the answer is {status:d}"))
def status_is(context: ScenarioContext, status: int) -> None:
    assert last_response(context).status == status


@then(parsers.parse("its code is {code}"))
def code_is(context: ScenarioContext, code: str) -> None:
    assert last_response(context).body["code"] == code


@then("it lists these faults, each in Dutch and in English")
def lists_faults(context: ScenarioContext, datatable: list[list[str]]) -> None:
    faults = last_response(context).body["errors"]
    assert [[each["field"], each["code"]] for each in faults] == datatable[1:]
    assert all(each["error"] and each["detail"] and each["error"] != each["detail"] for each in faults)


@then(parsers.parse("its type leads to an explanation of {code}"))
def type_is_explained(context: ScenarioContext, code: str) -> None:
    assert last_response(context).body["type"].endswith(f"/v1/errors#{code}")


@then(parsers.parse('its title is "{title}"'))
def title_is(context: ScenarioContext, title: str) -> None:
    body = last_response(context).body
    assert (body["title"], body["status"]) == (title, last_response(context).status)
    assert body["detail"] == body["errors"][0]["detail"]


@then(parsers.parse("it names the field {field}"))
def names_the_field(context: ScenarioContext, field: str) -> None:
    assert last_response(context).body["field"] == field


@then("it names no field")
def names_no_field(context: ScenarioContext) -> None:
    assert "field" not in last_response(context).body


@then("it names the request")
def names_the_request(context: ScenarioContext) -> None:
    assert last_response(context).body["requestId"]


@then(parsers.parse('it says "{sentence}"'))
def says(context: ScenarioContext, sentence: str) -> None:
    assert last_response(context).body["error"] == sentence


@then(parsers.parse("its header {name} is {value}"))
def header_is(context: ScenarioContext, name: str, value: str) -> None:
    assert last_response(context).headers[name.lower()] == value


@then(parsers.parse("it holds {fields}, and nothing else"))
def holds(context: ScenarioContext, fields: str) -> None:
    assert sorted(last_response(context).body) == sorted(json.loads(fields))
