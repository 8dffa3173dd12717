"""Who runs the service, as people and programs learn it from the service itself."""

from __future__ import annotations

import html
import re

from features.drivers.base import Driver
from features.drivers.cli import CliDriver
from features.drivers.http import HtmlResponse, HttpDriver, ScriptResponse
from features.steps.command import last_result
from features.steps.context import TEXT, ScenarioContext, text
from pytest_bdd import given, parsers, then, when


def last_page(context: ScenarioContext) -> HtmlResponse:
    assert context.html_page is not None
    assert context.html_page.status == 200
    return context.html_page


def last_file(context: ScenarioContext) -> ScriptResponse:
    assert context.script is not None
    assert context.script.status == 200
    return context.script


@given(parsers.re(rf"the service is run by (?P<name>{TEXT}), who are reached at (?P<contact>\S+)"))
def is_run_by(driver: Driver, name: str, contact: str) -> None:
    driver.configure(operator_name=text(name), operator_contact=contact)


@when("someone opens the service's own address")
def opens_own_address(driver: HttpDriver, context: ScenarioContext) -> None:
    context.html_page = driver.request_page("GET", "/")


@when(parsers.parse("someone opens the page of {shop} to find out who runs the service"))
def opens_shop_page(driver: HttpDriver, context: ScenarioContext, shop: str) -> None:
    context.html_page = driver.request_page("GET", f"/shops/{shop}")


@when(parsers.parse("a program asks for {path}"))
def asks_for(driver: HttpDriver, context: ScenarioContext, path: str) -> None:
    context.script = driver.load_script(path, {})


@when(parsers.re(r"the operator starts `(?P<line>[^`]+)`"))
def starts(driver: CliDriver, context: ScenarioContext, line: str) -> None:
    context.command_result = driver.start_and_stop(line)


@then(parsers.re(rf"the page names (?P<name>{TEXT})"))
def names(context: ScenarioContext, name: str) -> None:
    assert html.escape(text(name)) in last_page(context).html


@then(parsers.parse("the page leads to {address}"))
def leads_to(context: ScenarioContext, address: str) -> None:
    assert address in re.findall(r'<a href="([^"]+)"', last_page(context).html)


@then(parsers.parse('it gets {media_type} with the line "{line}"'))
def gets_line(context: ScenarioContext, media_type: str, line: str) -> None:
    assert last_file(context).headers["content-type"].partition(";")[0] == media_type
    assert line in last_file(context).text.splitlines()


@then("it gets an icon")
def gets_icon(context: ScenarioContext) -> None:
    assert last_file(context).headers["content-type"].startswith("image/")


@then("it says of its links only that other commands do not know the port")
def links_fit(context: ScenarioContext) -> None:
    lines = [line for line in last_result(context).stderr.splitlines() if "base_url" in line]
    assert len(lines) == 1
    assert "links use the address of this process" in lines[0]
