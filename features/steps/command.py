"""Commands, as the operator types them."""

from __future__ import annotations

import json
import re

from features.drivers.cli import CommandLine, Ended
from features.steps.story import Story
from pytest_bdd import given, parsers, then, when


def ended(story: Story) -> Ended:
    assert story.command is not None
    return story.command


@given(parsers.re(r"the operator has run `(?P<line>[^`]+)`"))
def has_run(driver: CommandLine, line: str) -> None:
    assert driver.run(line).code == 0


@when(parsers.re(r"the operator runs `(?P<line>[^`]+)`"))
def runs(driver: CommandLine, story: Story, line: str) -> None:
    story.command = driver.run(line)


@when(parsers.re(r"the operator runs `(?P<line>[^`]+)` on the invitation"))
def runs_on_it(driver: CommandLine, story: Story, line: str) -> None:
    [invitation] = json.loads(driver.run("reviewinvite invitation list --json").out)
    story.command = driver.run(f"{line} {invitation['inviteId']}")


@given(parsers.parse("a file {name} with the lines"))
def a_file(driver: CommandLine, name: str, docstring: str) -> None:
    (driver.folder / name).write_text(docstring + "\n")


@then(parsers.parse("the command succeeds"))
def succeeds(story: Story) -> None:
    assert ended(story).code == 0, ended(story)


@then(parsers.parse('it ends with {code:d} and says "{sentence}"'))
def ends_with(story: Story, code: int, sentence: str) -> None:
    assert ended(story).code == code
    assert ended(story).out == ""
    assert sentence in " ".join(ended(story).err.split())


@then("it prints a key")
def prints_a_key(story: Story) -> None:
    [story.printed_key] = re.findall(r"\brvi_[0-9A-Za-z]{36}\b", ended(story).out)


@then("it prints the last four characters of that key, and no more of it")
def prints_the_last_four(story: Story) -> None:
    assert story.printed_key is not None
    assert f"...{story.printed_key[-4:]} " in ended(story).out
    assert story.printed_key[4:-4] not in ended(story).out


@then(parsers.re(r"it prints `(?P<words>[^`]+)`"))
def prints(story: Story, words: str) -> None:
    assert words in [" ".join(line.split()) for line in ended(story).out.splitlines()]


@then(parsers.parse("it lists {count:d} invitation"))
def lists(story: Story, count: int) -> None:
    assert len(json.loads(ended(story).out)) == count


@then(parsers.parse("the outbox holds {count:d} e-mail"))
def outbox_holds(driver: CommandLine, count: int) -> None:
    assert len(list((driver.folder / "outbox" / "new").iterdir())) == count
