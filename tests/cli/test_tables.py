"""Tables on a terminal: fitted to its width, with nothing lost; and times."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation

from reviewinvite_cli.times import relative

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def shown(molen: Installation, as_process: AsProcess, *command: str, columns: int, **more: str) -> str:
    """Return what a terminal shows, without colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", as_process(molen).on_terminal(*command, columns=columns, **more))


def report(molen: Installation, order_number: str) -> str:
    """Report an order; return the invitation's id."""
    return str(molen.json("order", "report", "molen", "a@example.com", "--order-number", order_number)["inviteId"])


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_table_fits_its_terminal_and_keeps_its_ids_whole(
    molen: Installation, as_process: AsProcess, columns: int
) -> None:
    made = [report(molen, number) for number in ("2026-0193", "X" * 50)]
    table = shown(molen, as_process, "invitation", "list", columns=columns)
    assert max(map(len, table.splitlines())) <= columns
    assert all(invite_id in table for invite_id in made)
    for words in ("INVITATION", "STATE", "scheduled", "reported", "2026-0193", "molen"):
        assert words in table
    assert table.count("X") == 50


def test_each_value_stays_below_its_heading(molen: Installation, as_process: AsProcess) -> None:
    report(molen, "2026-0193")
    lines = shown(molen, as_process, "invitation", "list", columns=80).splitlines()
    place = {word: max(line.find(word) for line in lines) for word in ("STATE", "REASON", "ORDER", "─" * 80)}
    assert place["STATE"] == place["REASON"] == max(line.find("scheduled") for line in lines)
    assert place["REASON"] == max(line.find("reported") for line in lines)
    assert place["ORDER"] == max(line.find("2026-0193") for line in lines)
    assert place["─" * 80] == 0


def test_a_terminal_narrower_than_an_id_gets_plain_lines(molen: Installation, as_process: AsProcess) -> None:
    invite_id = report(molen, "2026-0193")
    assert invite_id in shown(molen, as_process, "invitation", "list", columns=30)


def test_headings_are_bold_on_a_terminal_only_and_not_against_the_users_wish(
    shared: Installation, as_process: AsProcess
) -> None:
    assert "\x1b[1m" in as_process(shared).on_terminal("shop", "list")
    assert "\x1b" not in shared.ok("shop", "list")


@pytest.mark.parametrize("variable", ["NO_COLOR=1", "TERM=dumb"])
def test_a_list_and_findings_are_plain_where_that_is_wished_and_the_list_still_fits(
    molen: Installation, as_process: AsProcess, variable: str
) -> None:
    name, _, value = variable.partition("=")
    report(molen, "X" * 50)
    listed = as_process(molen).on_terminal("invitation", "list", columns=60, typed="", **{name: value})
    found = as_process(molen).on_terminal("doctor", columns=60, typed="", **{name: value})
    assert max(map(len, listed.splitlines())) <= 60
    assert listed.count("X") == 50
    for shown_plainly in (listed, found):
        assert not {"\x1b", "─"} & set(shown_plainly)


def test_markup_in_a_value_is_printed_as_it_is(empty: Installation, as_process: AsProcess) -> None:
    empty.ok("shop", "add", "shop", "--name", "[red]Sale[/red] :smile:")
    assert "[red]Sale[/red] :smile:" in shown(empty, as_process, "shop", "list", columns=80)


def test_a_text_is_folded_by_its_width_also_if_a_character_takes_two_columns(
    empty: Installation, as_process: AsProcess
) -> None:
    empty.ok("shop", "add", "sushi", "--name", "寿" * 30)  # 60 columns, in 30 characters
    assert shown(empty, as_process, "shop", "list", columns=80).count("寿") == 30
    assert "寿" * 30 in shown(empty, as_process, "shop", "list", columns=120)


def test_a_pipe_does_not_import_what_draws_tables(molen: Installation, as_process: AsProcess) -> None:
    assert not {each for each in as_process(molen).imported("shop", "list") if each.split(".")[0] == "rich"}


def test_local_times_are_of_the_zone_that_the_heading_names(molen: Installation, as_process: AsProcess) -> None:
    invite_id = report(molen, "1")
    at = datetime.fromisoformat(molen.json("invitation", "show", invite_id)["scheduledFor"])
    heading, row = as_process(molen).ok("--local", "invitation", "list", TZ="Europe/Amsterdam").splitlines()
    assert "SCHEDULED (CET/CEST)" in heading
    assert f"{at:%Y-%m-%d %H:%M:%S}" not in row
    assert f"{at:%Y-%m-%d %H:%M:%S}" in molen.ok("invitation", "list")
    facts = as_process(molen).ok("--local", "invitation", "show", invite_id, TZ="Etc/GMT-5")
    assert f"Scheduled for  {at + timedelta(hours=5):%Y-%m-%d %H:%M:%S} +05\n" in facts


def test_json_is_in_utc_whatever_was_asked(molen: Installation, as_process: AsProcess) -> None:
    report(molen, "1")
    assert as_process(molen).json("--local", "invitation", "list", TZ="Etc/GMT-5") == molen.json("invitation", "list")


def test_a_time_without_a_zone_is_local_if_local_times_are_printed(molen: Installation, as_process: AsProcess) -> None:
    report(molen, "1")
    in_an_hour = f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M}"
    since = ("invitation", "list", "--since", in_an_hour)
    assert molen.json(*since) == []
    assert as_process(molen).json("--local", *since, TZ="Etc/GMT-5")
    assert "(UTC, or local with --local)" in " ".join(molen.ok("invitation", "list", "--help").split())


def test_only_a_terminal_is_told_how_far_away_a_time_is(molen: Installation, as_process: AsProcess) -> None:
    invite_id = report(molen, "1")
    assert " UTC (in 4 days)" in shown(molen, as_process, "invitation", "show", invite_id, columns=80)
    assert "days" not in molen.ok("invitation", "show", invite_id)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3 * 86_400, "in 3 days"),
        (86_400, "in 1 day"),
        (-7_300, "2 hours ago"),
        (-60, "1 minute ago"),
        (59, "now"),
        (-59, "now"),
    ],
)
def test_how_far_away_a_time_is(seconds: int, words: str) -> None:
    assert relative(NOON + timedelta(seconds=seconds), NOON) == words
