"""Lists: what they select, and what they say if they are not complete."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.cli.customers import a_review
from tests.cli.harness import Installation
from tests.cli.orders import write_order_file

from reviewinvite_cli import output

ORDERS = 12


@pytest.fixture(scope="module")
def listed(one_shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Return an installation with twelve invitations, three suppressions and two reviews."""
    made = Installation(shutil.copytree(one_shop, tmp_path_factory.mktemp("listed") / "installation"))
    write_order_file(made.folder / "orders.csv", 0, ORDERS)
    made.ok("order", "import", "molen", "orders.csv")
    for number in range(3):
        made.ok("suppression", "add", f"gone{number}@example.com")
    for order_number in ("first", "second"):
        a_review(made, order_number)
    return made


def test_a_list_says_of_how_many_and_where_it_goes_on(listed: Installation) -> None:
    everything = [each["inviteId"] for each in listed.json("invitation", "list")]
    total = len(everything)
    assert total > ORDERS
    page = listed.run("invitation", "list", "--limit", "5")
    assert page.err == f"Showing 5 of {total}. Next page: --cursor {everything[4]}\n"
    assert len(page.out.splitlines()) == 6
    rest = listed.run("invitation", "list", "--cursor", everything[4])
    assert [line.split()[0] for line in rest.out.splitlines()[1:]] == everything[5:]
    assert rest.err == ""


@pytest.mark.parametrize(
    "command",
    [("review", "list"), ("suppression", "list"), ("review", "list", "--site", "molen"), ("invitation", "list")],
)
def test_the_pages_of_a_list_have_everything_once(listed: Installation, command: tuple[str, ...]) -> None:
    everything = listed.json(*command)
    cursor: tuple[str, ...] = ()
    seen = []
    for left in range(len(everything), 0, -1):
        page = listed.run(*command, "--limit", "1", "--json", *cursor)
        seen += json.loads(page.out)
        if left > 1:
            told = f"Showing 1 of {left}. Next page: --cursor "
            assert page.err.startswith(told)
            cursor = ("--cursor", page.err.removeprefix(told).strip())
        else:
            assert page.err == ""
    assert seen == everything


def test_the_reviews_of_an_order_have_pages_too(listed: Installation) -> None:
    (review,) = listed.json("review", "list", "--order-number", "first")
    assert listed.json("review", "list", "--order-number", "first", "--cursor", review["reviewId"]) == []


def test_a_program_is_told_too(listed: Installation) -> None:
    assert listed.run("invitation", "list", "--limit", "5", "--json").err.startswith("Showing 5 of ")


def test_it_does_not_count_for_long(listed: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("invitation", "review", "suppression"):
        monkeypatch.setattr(f"reviewinvite_cli.commands.{module}.MOST_COUNTED", 2)
    assert listed.run("invitation", "list", "--limit", "1").err.startswith("Showing 1 of more than 2. Next page: ")
    assert listed.run("suppression", "list", "--limit", "1").err.startswith("Showing 1 of more than 2. ")
    assert listed.run("review", "list", "--limit", "1").err.startswith("Showing 1 of 2. Next page: ")


def test_what_is_complete_needs_no_words(listed: Installation) -> None:
    for noun in ("invitation", "review", "suppression"):
        assert listed.run(noun, "list").err == ""


def test_an_order_is_found_by_its_number(listed: Installation) -> None:
    (invitation,) = listed.json("invitation", "list", "--order-number", "first")
    (review,) = listed.json("review", "list", "--order-number", "first", "--site", "molen", "--state", "published")
    assert review["inviteId"] == invitation["inviteId"]
    for noun in ("invitation", "review"):
        assert listed.json(noun, "list", "--order-number", "none") == []
    assert listed.json("review", "list", "--order-number", "first", "--state", "hidden") == []


@pytest.mark.parametrize("noun", ["invitation", "review", "suppression"])
@pytest.mark.parametrize(
    ("since", "found"),
    [("1d", True), ("1h", True), ("2020-01-01", True), ("2020-01-01T09:00+02:00", True), ("2999-01-01", False)],
)
def test_a_list_begins_at_a_time(listed: Installation, noun: str, since: str, found: bool) -> None:
    assert bool(listed.json(noun, "list", "--since", since)) is found


@pytest.mark.parametrize("since", ["", "yesterday", "d", "-1d", "2026-13-01"])
def test_what_is_no_time_is_refused(listed: Installation, since: str) -> None:
    assert "Error: --since must be a date, a time or an age" in listed.refused(
        2, "invitation", "list", f"--since={since}"
    )


@pytest.mark.parametrize("noun", ["invitation", "review", "suppression"])
def test_what_is_no_cursor_is_refused(listed: Installation, noun: str) -> None:
    said = listed.refused(2, noun, "list", "--cursor", "x")
    assert said.endswith("Error: --cursor is not a cursor: copy it from the line 'Next page'.")


def test_the_bound_is_what_the_page_of_the_commands_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"more than {output.MOST_COUNTED:,}" in page
