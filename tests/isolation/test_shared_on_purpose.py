"""What one shop learns from another on purpose: opting out of all shops, and that a host is taken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.isolation.environment import OPERATOR, Command, Environment, Request, make_template
from tests.isolation.operations import ON_FORM

from reviewinvite_core.domain.links import Purpose


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Environment]:
    """Return an environment with two shops, `north` and `south`."""
    (tmp_path / "template").mkdir()
    environment = Environment(make_template(tmp_path / "template"), tmp_path / "environment")
    for site in ("north", "south"):
        run(environment, "shop add", site, "--name", "Bakkerij")
    yield environment
    environment.close()


def run(environment: Environment, command: str, *options: str) -> str:
    """Return what a command that succeeds prints."""
    said = environment.perform(Command(command, options), OPERATOR)
    assert said.startswith("ended with 0\n"), said
    return said.partition("\n")[2].partition("\n-- ")[0]


def report(environment: Environment, site: str) -> str:
    return str(json.loads(run(environment, "order report", site, "anna@example.com", "--json"))["inviteId"])


def state(environment: Environment, invite_id: str) -> str:
    return str(json.loads(run(environment, "invitation show", invite_id, "--json"))["state"])


def test_opting_out_of_every_shop_holds_at_the_others_and_opting_out_of_one_does_not(environment: Environment) -> None:
    north, south = report(environment, "north"), report(environment, "south")
    link = f"/u/{environment.token(south, Purpose.UNSUBSCRIBE)}"
    for body, left in ((b"List-Unsubscribe=One-Click", "scheduled"), (b"everywhere=yes", "suppressed")):
        said = environment.perform(Request(method="POST", path=link, body=body, headers=(ON_FORM,)), OPERATOR)
        assert said.startswith("HTTP 200")
        assert (state(environment, north), state(environment, south)) == (left, "suppressed")


def test_a_host_that_another_shop_has_is_refused_without_a_word_about_which(environment: Environment) -> None:
    run(environment, "domain add", "south", "shop.example.nl", "--assume-verified")
    run(environment, "domain add", "north", "shop.example.nl")
    for operation in (
        Command("domain check", ("north", "shop.example.nl", "--json")),
        Command("domain add", ("north", "shop.example.nl", "--assume-verified")),
        Command("domain add", ("north", "www.shop.example.nl", "--assume-verified")),
    ):
        said = environment.perform(operation, OPERATOR)
        assert said.startswith("ended with 1\n")
        assert "Another shop has verified" in said
        assert "south" not in said


def test_what_is_held_about_a_person_is_told_and_forgotten_at_every_shop(environment: Environment) -> None:
    both = {report(environment, "north"), report(environment, "south")}
    held = json.loads(run(environment, "privacy export", "anna@example.com", "--json"))["invitations"]
    assert {each["inviteId"] for each in held} == both
    run(environment, "privacy erase", "anna@example.com", "--yes")
    assert {state(environment, each) for each in both} == {"cancelled"}
