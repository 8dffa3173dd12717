"""Requests to the orders API, and what stands in the answers: for the rules that HTTP alone has."""

from __future__ import annotations

import json

from features.drivers.http import JSON, OverHttp, Response
from features.steps.story import Story
from pytest_bdd import parsers, then, when

ORDER = b'{"email": "anna@example.com", "orderNumber": "1001"}'


def the_response(story: Story) -> Response:
    assert story.response is not None
    return story.response


def post(driver: OverHttp, story: Story, shop: str, body: bytes, media_type: str = JSON) -> None:
    headers = {"Authorization": f"Bearer {story.key_of(shop)}", "Content-Type": media_type}
    story.response = driver.post(body, headers)


@when(parsers.parse("{shop} posts {body}"))
def posts(driver: OverHttp, story: Story, shop: str, body: str) -> None:
    post(driver, story, shop, body.encode())


@when(parsers.parse("{shop} sends an order of {size:d} bytes"))
def sends_a_large_one(driver: OverHttp, story: Story, shop: str, size: int) -> None:
    post(driver, story, shop, ORDER.ljust(size))


@when(parsers.parse("{shop} sends an order as {media_type}"))
def sends_as(driver: OverHttp, story: Story, shop: str, media_type: str) -> None:
    post(driver, story, shop, ORDER, media_type)


@when("someone sends an order without a key")
def sends_without_a_key(driver: OverHttp, story: Story) -> None:
    story.response = driver.post(ORDER, {"Content-Type": JSON})


@when(parsers.parse('someone sends an order with the header "Authorization: {value}"'))
def sends_with(driver: OverHttp, story: Story, value: str) -> None:
    story.response = driver.post(ORDER, {"Content-Type": JSON, "Authorization": value})


@then(parsers.parse("the answer is {status:d}"))
def status_is(story: Story, status: int) -> None:
    assert the_response(story).status == status


@then(parsers.parse("its code is {code}"))
def code_is(story: Story, code: str) -> None:
    assert the_response(story).body["code"] == code


@then(parsers.parse("it names the field {field}"))
def names_the_field(story: Story, field: str) -> None:
    assert the_response(story).body["field"] == field


@then("it names no field")
def names_no_field(story: Story) -> None:
    assert "field" not in the_response(story).body


@then("it names the request")
def names_the_request(story: Story) -> None:
    assert the_response(story).body["requestId"]


@then(parsers.parse('it says "{sentence}"'))
def says(story: Story, sentence: str) -> None:
    assert the_response(story).body["error"] == sentence


@then(parsers.parse("its header {name} is {value}"))
def header_is(story: Story, name: str, value: str) -> None:
    assert the_response(story).headers[name.lower()] == value


@then(parsers.parse("it holds {fields}, and nothing else"))
def holds(story: Story, fields: str) -> None:
    assert sorted(the_response(story).body) == sorted(json.loads(fields))
