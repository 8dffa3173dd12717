"""What passes from one shop to another on purpose: a person's word about every shop, and whose a host is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.two_shops.acts import ON_FORM
from tests.two_shops.world import OPERATOR, Ask, Run, World, make_pattern

from reviewinvite_core.domain.links import Purpose


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Two shops, `north` and `south`."""
    (tmp_path / "pattern").mkdir()
    world = World(make_pattern(tmp_path / "pattern"), tmp_path / "world")
    for site in ("north", "south"):
        run(world, "shop add", site, "--name", "Bakkerij")
    yield world
    world.close()


def run(world: World, command: str, *options: str) -> str:
    """What a command prints that ends well."""
    said = world.does(Run(command, options), OPERATOR)
    assert said.startswith("ended with 0\n"), said
    return said.partition("\n")[2].partition("\n-- ")[0]


def reported(world: World, site: str) -> str:
    return json.loads(run(world, "order report", site, "anna@example.com", "--json"))["inviteId"]


def state(world: World, invite_id: str) -> str:
    return json.loads(run(world, "invitation show", invite_id, "--json"))["state"]


def test_who_opts_out_of_every_shop_is_heard_by_the_others_and_who_opts_out_of_one_is_not(world: World) -> None:
    north, south = reported(world, "north"), reported(world, "south")
    link = f"/u/{world.token(south, Purpose.UNSUBSCRIBE)}"
    for body, left in ((b"List-Unsubscribe=One-Click", "scheduled"), (b"everywhere=yes", "suppressed")):
        said = world.does(Ask(method="POST", path=link, body=body, headers=(ON_FORM,)), OPERATOR)
        assert said.startswith("HTTP 200")
        assert (state(world, north), state(world, south)) == (left, "suppressed")


def test_a_host_that_another_shop_has_is_refused_without_a_word_about_which(world: World) -> None:
    run(world, "domain add", "south", "shop.example.nl", "--assume-verified")
    run(world, "domain add", "north", "shop.example.nl")
    for act in (
        Run("domain check", ("north", "shop.example.nl", "--json")),
        Run("domain add", ("north", "shop.example.nl", "--assume-verified")),
        Run("domain add", ("north", "www.shop.example.nl", "--assume-verified")),
    ):
        said = world.does(act, OPERATOR)
        assert said.startswith("ended with 1\n")
        assert "Another shop has verified" in said
        assert "south" not in said


def test_what_is_held_about_a_person_is_told_and_forgotten_at_every_shop(world: World) -> None:
    both = {reported(world, "north"), reported(world, "south")}
    held = json.loads(run(world, "privacy export", "anna@example.com", "--json"))["invitations"]
    assert {each["inviteId"] for each in held} == both
    run(world, "privacy erase", "anna@example.com")
    assert {state(world, each) for each in both} == {"cancelled"}
