"""The API as its developers meet it: its page, its description, its lists, and the explanation of its errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from features.drivers.http import HttpDriver
from features.steps.context import ScenarioContext
from features.steps.operator import last_file, last_page
from features.steps.request import last_response
from pytest_bdd import parsers, then, when


def bodies(description: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what the description says of each body of a request or an answer."""
    for path in description["paths"].values():
        for operation in path.values():
            for described in (operation.get("requestBody", {}), *operation["responses"].values()):
                yield from described.get("content", {}).values()


@when("a developer opens the page of the API")
def opens_the_page(driver: HttpDriver, context: ScenarioContext) -> None:
    context.script = driver.load_script("/v1/docs", {})


@then(parsers.parse("all that it loads comes from below {address}"))
def comes_from(context: ScenarioContext, address: str) -> None:
    page = last_file(context).text
    loaded = re.findall(r'(?:src|spec-url)="([^"]+)"', page)
    assert len(loaded) == 2
    assert all(each.startswith(urlsplit(address).path + "/v1/") for each in loaded)
    assert "default-src 'none'" in last_file(context).headers["content-security-policy"]


@then("it may be tried out against the service only")
def tried_out_here(context: ScenarioContext) -> None:
    assert "connect-src 'self';" in last_file(context).headers["content-security-policy"]


@when("a developer's tool reads the description of the API")
def reads_the_description(driver: HttpDriver, context: ScenarioContext) -> None:
    context.script = driver.load_script("/v1/openapi.json", {})


@then(parsers.parse("it names the service at {address}"))
def names_the_service(context: ScenarioContext, address: str) -> None:
    assert json.loads(last_file(context).text)["servers"] == [{"url": address}]


@then("it has an example of every request and every answer")
def has_examples(context: ScenarioContext) -> None:
    described = list(bodies(json.loads(last_file(context).text)))
    assert described
    assert all("example" in each or "examples" in each for each in described)


@when("a developer opens the address in its type")
def opens_the_type(driver: HttpDriver, context: ScenarioContext) -> None:
    address = urlsplit(last_response(context).body["type"])
    context.html_page = driver.request_page("GET", address.path.removeprefix("/reviews"))


@then(parsers.parse("the page explains {code}"))
def explains(context: ScenarioContext, code: str) -> None:
    assert f'id="{code}"' in last_page(context).html


def read_page(driver: HttpDriver, context: ScenarioContext, shop: str, which: str, query: str) -> None:
    """Read a page of a list, and keep it."""
    headers = {"Authorization": f"Bearer {context.key_of(shop)}"}
    context.response = driver.request("GET", f"/v1/{which}?{query}", headers=headers)


@when(parsers.parse("{shop}'s program reads {count:d} of its {which}"))
def reads_some(driver: HttpDriver, context: ScenarioContext, shop: str, count: int, which: str) -> None:
    read_page(driver, context, shop, which, f"limit={count}")


@when(parsers.parse("{shop}'s program reads on"))
def reads_on(driver: HttpDriver, context: ScenarioContext, shop: str) -> None:
    page = last_response(context).body
    (which,) = {"invitations", "reviews"} & set(page)
    read_page(driver, context, shop, which, f"cursor={page['cursor']}")


@then(parsers.re(r"it reads of the orders (?P<numbers>[\d, and]+), and that there are (?P<more>no )?more"))
def reads_orders(context: ScenarioContext, numbers: str, more: str | None) -> None:
    page = last_response(context).body
    (which,) = {"invitations", "reviews"} & set(page)
    assert [each["orderNumber"] for each in page[which]] == re.findall(r"\d+", numbers)
    assert page["more"] is not bool(more)
