"""The operator's secret, in its file beside the database."""

from __future__ import annotations

import shutil
from pathlib import Path

from features.drivers.cli import CliDriver
from features.steps.command import last_result
from features.steps.context import ScenarioContext
from pytest_bdd import given, parsers, then, when

COPY = "copied-secret"


def secret_file(driver: CliDriver) -> Path:
    return driver.folder / "reviewinvite.db.secret"


@given("a copy of the secret")
def a_copy(driver: CliDriver) -> None:
    shutil.copyfile(secret_file(driver), driver.folder / COPY)


@given("a change of the secret that was broken off before it took effect")
def broken_off(driver: CliDriver) -> None:
    file = secret_file(driver)
    file.with_name(f"{file.name}.next").write_text("a secret that was to take its place")


@when(parsers.re(r"the operator runs `(?P<line>[^`]+)` with the copied secret"))
def runs_with_the_copy(driver: CliDriver, context: ScenarioContext, line: str) -> None:
    context.command_result = driver.run(line, secret_file=COPY)


@then("the command shows no secret")
def shows_no_secret(driver: CliDriver, context: ScenarioContext) -> None:
    assert last_result(context).exit_code == 0
    files = [*driver.folder.glob("reviewinvite.db.secret*"), *driver.folder.glob("*-secret")]
    secrets = {file.read_text().strip() for file in files}
    assert len(secrets) == 2
    assert not any(secret in last_result(context).stdout + last_result(context).stderr for secret in secrets)


@then("it has said that the change is undone")
def said_undone(driver: CliDriver, context: ScenarioContext) -> None:
    assert "undone" in last_result(context).stderr
    assert not secret_file(driver).with_name("reviewinvite.db.secret.next").exists()
