"""Commands, as the operator types them."""

from __future__ import annotations

import json
import re

from features.drivers.cli import CliDriver, CommandResult
from features.steps.context import ScenarioContext
from pytest_bdd import given, parsers, then, when


def last_result(context: ScenarioContext) -> CommandResult:
    assert context.command_result is not None
    return context.command_result


@given(parsers.re(r"the operator has run `(?P<line>[^`]+)`"))
def has_run(driver: CliDriver, line: str) -> None:
    assert driver.run(line).exit_code == 0


@when(parsers.re(r"the operator runs `(?P<line>[^`]+)`"))
def runs(driver: CliDriver, context: ScenarioContext, line: str) -> None:
    context.command_result = driver.run(line)


@when(parsers.re(r"the operator runs `(?P<line>[^`]+)` on the invitation"))
def runs_on_it(driver: CliDriver, context: ScenarioContext, line: str) -> None:
    [invitation] = json.loads(driver.run("reviewinvite invitation list --json").stdout)
    context.command_result = driver.run(f"{line} {invitation['inviteId']}")


@given(parsers.parse("a file {name} with the lines"))
def a_file(driver: CliDriver, name: str, docstring: str) -> None:
    (driver.folder / name).write_text(docstring + "\n")


@then(parsers.parse("the command succeeds"))
def succeeds(context: ScenarioContext) -> None:
    assert last_result(context).exit_code == 0, last_result(context)


@then(parsers.parse('it ends with {code:d} and says "{sentence}"'))
def ends_with(context: ScenarioContext, code: int, sentence: str) -> None:
    assert last_result(context).exit_code == code
    assert last_result(context).stdout == ""
    assert sentence in " ".join(last_result(context).stderr.split())


@then(parsers.parse('it adds "{sentence}"'))
def adds(context: ScenarioContext, sentence: str) -> None:
    assert sentence in " ".join(last_result(context).stderr.split())


@then(parsers.parse('it does not add "{sentence}"'))
def does_not_add(context: ScenarioContext, sentence: str) -> None:
    assert sentence not in " ".join(last_result(context).stderr.split())


@then("it prints a key")
def prints_a_key(context: ScenarioContext) -> None:
    [context.printed_key] = re.findall(r"\brvi_[0-9A-Za-z]{36}\b", last_result(context).stdout)


@then("it prints a sign-in link")
def prints_a_link(context: ScenarioContext) -> None:
    assert re.search(r"^Link +\S+/dashboard/sign-in/[\w-]{43}$", last_result(context).stdout, re.MULTILINE)


@then("it prints the last four characters of that key, and no more of it")
def prints_the_last_four(context: ScenarioContext) -> None:
    assert context.printed_key is not None
    assert f"...{context.printed_key[-4:]} " in last_result(context).stdout
    assert context.printed_key[4:-4] not in last_result(context).stdout


@then(parsers.re(r"it prints `(?P<words>[^`]+)`"))
def prints(context: ScenarioContext, words: str) -> None:
    assert words in [" ".join(line.split()) for line in last_result(context).stdout.splitlines()]


@then(parsers.parse("it lists {count:d} invitation"))
def lists(context: ScenarioContext, count: int) -> None:
    assert len(json.loads(last_result(context).stdout)) == count


@then(parsers.parse("the outbox holds {count:d} e-mail"))
def outbox_holds(driver: CliDriver, count: int) -> None:
    assert len(list((driver.folder / "outbox" / "new").iterdir())) == count


@then(parsers.re(r"it finds `(?P<detail>[^`]+)`"))
def finds(context: ScenarioContext, detail: str) -> None:
    assert last_result(context).exit_code == 1
    assert re.search(rf"^failure +\S+ +{re.escape(detail)}$", last_result(context).stdout, re.MULTILINE)


@then(parsers.re(r"it suggests `(?P<step>[^`]+)`"))
def suggests(context: ScenarioContext, step: str) -> None:
    assert f"-> {step}\n" in last_result(context).stdout
