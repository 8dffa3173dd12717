"""`order import`: whole files, broken ones, and ones that come twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import COMMAND, AsProcess
from tests.cli.harness import Ended, Installation
from tests.waiting import TIMEOUT_SECONDS

AFTER_FOUR_BATCHES = ("reviewinvite_cli.order_import", "ImportReport.enter", 4)  # of which the last is not yet told of


def importing(installation: Installation, content: str | bytes, *options: str) -> Ended:
    """Import a file of this content into the shop `molen`."""
    file = installation.folder / "orders.csv"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return installation.run("order", "import", "molen", "orders.csv", *options)


def account(installation: Installation, content: str | bytes, *options: str) -> Any:
    """What the import says with `--json`; its exit code tells whether a line was refused."""
    ended = importing(installation, content, "--json", *options)
    said = json.loads(ended.out)
    assert ended.code == (1 if said["refused"] else 0)
    return said


def test_a_file_with_every_column_is_imported_as_it_says(molen: Installation) -> None:
    said = account(molen, "email,orderNumber,language,delayDays\nc@example.com,2026-1,en,2.5\nd@example.com,,,\n")
    assert said == {"new": 2, "duplicate": 0, "refused": []}
    unnumbered, numbered = sorted(molen.json("invitation", "list"), key=lambda one: one["orderNumber"] or "")
    assert (numbered["orderNumber"], numbered["language"]) == ("2026-1", "en")
    assert (unnumbered["orderNumber"], unnumbered["language"]) == (None, "nl")
    assert numbered["scheduledFor"] < unnumbered["scheduledFor"]  # 2.5 days, and the shop's own 5


def test_standard_input_is_read_as_a_file_is(molen: Installation, as_process: AsProcess) -> None:
    command = [*COMMAND, "order", "import", "molen", "-"]
    content = b"email,orderNumber\nc@example.com,1\nno address,2\n"
    ended = as_process(molen).run_program([*command, "--json"], stdin=content)
    refused = [{"line": 3, "field": "email", "problem": "invalid_address"}]
    assert (ended.code, json.loads(ended.out)) == (1, {"new": 1, "duplicate": 0, "refused": refused})
    ended = as_process(molen).run_program(command, stdin=b"email\nc@example.com\n\xff@example.com\n")
    assert (ended.code, ended.out) == (1, "")
    assert "standard input is not UTF-8 (line 3)" in ended.err.replace("Standard", "standard")
    assert [one["orderNumber"] for one in molen.json("invitation", "list")] == ["1"]


def test_the_import_and_single_reports_know_the_same_orders(molen: Installation) -> None:
    first = molen.json("order", "report", "molen", "c@example.com", "--order-number", "1")
    said = account(molen, "email,orderNumber\nc@example.com,1\n", "--verbose")
    assert said["lines"] == [{"line": 2, "inviteId": first["inviteId"], "duplicate": True}]


@pytest.mark.parametrize(
    "content",
    [
        "email;orderNumber;delayDays\nc@example.com;order,1;2,5\n",
        '\ufeffemail,orderNumber,delayDays\nc@example.com,"order,1",2.5\n',
        "DELAY_DAYS,Order_Number,E-Mail\n".replace("E-Mail", "EMAIL") + '2.5,"order,1",c@example.com\n',
        '"email","orderNumber","delayDays"\r\n"c@example.com","order,1","2.5"\r\n',
        'email,orderNumber,delayDays\n\n c@example.com , "order,1",2.5'.replace(' "', '"') + "\n\n\n",
        'email\n"c@example.com"'.replace("email\n", "email,orderNumber,delayDays\n") + ',"order,1",2.5',
    ],
    ids=["semicolons", "byte order mark", "other names", "quotes and CRLF", "blank lines", "no last line break"],
)
def test_the_forms_that_programs_write_are_read_alike(molen: Installation, content: str) -> None:
    assert account(molen, content) == {"new": 1, "duplicate": 0, "refused": []}
    (one,) = molen.json("invitation", "list")
    assert one["orderNumber"] == "order,1"
    assert account(molen, 'email,orderNumber\nc@example.com,"order,1"\n')["duplicate"] == 1


def test_a_broken_line_is_refused_with_its_number_and_harms_no_other(molen: Installation) -> None:
    content = (
        "email,orderNumber,language,delayDays\n"
        "c2@example.com,2,nl,5\n"
        "no address,3,nl,5\n"
        "c4@example.com,4\n"
        "c5@example.com,5,de,5\n"
        "c6@example.com,6,nl,61\n"
        "c7@example.com,7,nl,soon\n"
        f"c8@example.com,{'8' * 129},nl,5\n"
        "c9@example.com,nul\x00,nl,5\n"
        ",10,nl,5\n"
        '"c11@example.com"x,11,nl,5\n'
        f"c12@example.com,{'x' * 200_000},nl,5\n"
        "c13@example.com,13,nl,1_0\n"
        "c14@example.com,14,nl,nan\n"
        "c15@example.com,15,nl,5\n"
    )
    said = account(molen, content, "--verbose")
    assert (said["new"], said["duplicate"]) == (2, 0)
    assert [line["line"] for line in said["lines"]] == [2, 15]
    assert [(one["line"], one["field"], one["problem"]) for one in said["refused"]] == [
        (3, "email", "invalid_address"),
        (4, None, "wrong_number_of_fields"),
        (5, "language", "unknown_language"),
        (6, "delayDays", "out_of_range"),
        (7, "delayDays", "wrong_type"),
        (8, "orderNumber", "too_long"),
        (9, "orderNumber", "forbidden_characters"),
        (10, "email", "invalid_address"),
        (11, None, "malformed_csv"),
        (12, None, "malformed_csv"),
        (13, "delayDays", "wrong_type"),
        (14, "delayDays", "wrong_type"),
    ]


def test_people_get_a_summary_and_the_refused_lines_but_no_address(molen: Installation) -> None:
    ended = importing(molen, "email\nc@example.com\nC@example.com\nsomeone at example.com\n", "--verbose")
    assert ended.code == 1
    new, duplicate, refused, summary = ended.out.splitlines()
    assert new.startswith("line 2: new ")
    assert duplicate.split() == ["line", "3:", "duplicate", new.split()[-1]]
    assert refused == "line 4: refused: email is not a valid e-mail address"
    assert summary == "1 new, 1 duplicate, 1 refused"
    assert "example.com" not in ended.out + ended.err


def test_a_quoted_field_may_hold_line_breaks_and_lines_are_still_counted_right(molen: Installation) -> None:
    content = 'orderNumber,email\n"two\nlines",a@example.com\n1,b@example.com\n1,wrong\n'
    said = account(molen, content, "--verbose")
    assert [(one["line"], one["problem"]) for one in said["refused"]] == [
        (2, "forbidden_characters"),
        (5, "invalid_address"),
    ]
    assert [line["line"] for line in said["lines"]] == [4]


def test_an_open_quote_costs_its_own_line_only(molen: Installation) -> None:
    order_numbers = {3: '"3', 10: "x" * 129, 1500: '"1500'}
    content = "email,orderNumber\n" + "".join(
        f"c{number}@example.com,{order_numbers.get(number, number)}\n" for number in range(2, 2002)
    )
    said = account(molen, content)
    assert said["new"] == 1997
    assert [(one["line"], one["problem"]) for one in said["refused"]] == [
        (3, "malformed_csv"),
        (10, "too_long"),
        (1500, "malformed_csv"),
    ]


@pytest.mark.parametrize("field", ["x", "x,", '"x",', '"x\n'])
def test_a_line_of_many_megabytes_is_refused_alone(molen: Installation, field: str) -> None:
    content = "email,orderNumber\na@example.com," + field + "xy," * 1_000_000 + "\nb@example.com,2\n"
    said = account(molen, content, "--verbose")
    last = 2 + content.count("\n") - 2
    assert [one["line"] for one in said["refused"]] == list(range(2, last))
    assert [line["line"] for line in said["lines"]] == [last]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "has no header line"),
        (b"\n\n", "has no header line"),
        (b"email,naam,postcode\nc@example.com,x,y\n", 'unknown columns in orders.csv: "naam", "postcode"'),
        (b"orderNumber\n1\n", "has no email column"),
        (b"email,EMAIL\nc@example.com,d@example.com\n", "repeats the column email"),
        (b"email,orderNumber,order_number\nc@example.com,1,2\n", "repeats the column orderNumber"),
        (b"email,\nc@example.com,\n", 'unknown columns in orders.csv: ""'),
        (b'"email\nc@example.com\n', "a misplaced or unclosed quote"),
        (b"email" + b"x" * 3_000_000, "has no header line"),
    ],
)
def test_a_header_that_will_not_do_is_refused_with_the_reason(molen: Installation, content: bytes, reason: str) -> None:
    ended = importing(molen, content)
    assert (ended.code, ended.out) == (2, "")
    assert reason in ended.err
    assert len(ended.err) < 500
    assert molen.json("invitation", "list") == []


def test_a_file_with_names_of_its_own_is_imported(molen: Installation) -> None:
    content = 'Order ID;"Customer; mail";Total;email\n7;c@example.com;12,50;x@example.com\n8;d@example.com;1;x\n'
    names = ("--map", "email=customer; MAIL", "--map", "orderNumber=Order ID")
    assert account(molen, content, *names) == {"new": 2, "duplicate": 0, "refused": []}
    assert {one["orderNumber"] for one in molen.json("invitation", "list")} == {"7", "8"}
    assert account(molen, "email,orderNumber\nc@example.com,7\n")["duplicate"] == 1
    assert account(molen, "mail,orderNumber\nc@example.com,7\n", "--map", "email=mail")["duplicate"] == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["email"], "must be FIELD=COLUMN, where FIELD is one of: email, orderNumber, language, delayDays."),
        (["email="], "must be FIELD=COLUMN"),
        (["name=naam"], "must be FIELD=COLUMN"),
        (["email=a", "email=b"], "names email twice."),
        (["email=a", "orderNumber=A"], "names A twice."),
        (["email=e-mail"], 'orders.csv has no column "e-mail".'),
        (["orderNumber=mail"], "has no email column"),
    ],
)
def test_names_that_cannot_be_are_refused(molen: Installation, options: list[str], reason: str) -> None:
    ended = importing(molen, "mail,order\nc@example.com,1\n", *(f"--map={each}" for each in options))
    assert (ended.code, ended.out) == (2, "")
    assert reason in ended.err


def test_a_file_with_nothing_but_a_header_is_imported(molen: Installation) -> None:
    assert account(molen, "email,orderNumber\n") == {"new": 0, "duplicate": 0, "refused": []}


@pytest.mark.parametrize("lines_before", [0, 1200, 60_000])
def test_a_file_that_is_not_utf8_is_refused_whole_with_the_line(molen: Installation, lines_before: int) -> None:
    before = b"".join(b"c%d@example.com,caf\xc3\xa9\n" % number for number in range(lines_before))
    ended = importing(molen, b"email,orderNumber\n" + before + b"c@example.com,caf\xe9\nd@example.com,1\n")
    assert (ended.code, ended.out) == (1, "")
    assert f"is not UTF-8 (line {lines_before + 2})" in ended.err
    assert molen.json("invitation", "list") == []


@pytest.mark.parametrize("rest", [b"\xff\n\n\n", b"\x80\xff\n\n\n"], ids=["within a character", "after one"])
def test_the_line_is_right_also_where_a_character_lies_across_two_chunks(molen: Installation, rest: bytes) -> None:
    before = b"email,orderNumber\nc@example.com,"
    filling = b"x" * ((1 << 20) - len(before) - 3)
    ended = importing(molen, before + filling + b"\xf0\x9f\x98" + rest)
    assert "is not UTF-8 (line 2)" in ended.err


def test_a_character_cut_off_at_the_end_of_the_file_is_not_utf8(molen: Installation) -> None:
    assert "is not UTF-8 (line 2)" in importing(molen, b"email,orderNumber\nc@example.com,caf\xc3").err


def test_what_is_no_file_is_wrong_usage(molen: Installation, tmp_path: Path) -> None:
    missing = molen.refused(2, "order", "import", "molen", "missing.csv")
    assert "missing.csv" in missing
    assert "No such file" in missing
    directory = molen.refused(2, "order", "import", "molen", str(tmp_path))
    assert "FILE" in directory
    os.mkfifo(tmp_path / "pipe.csv")
    assert "not a regular file" in molen.refused(2, "order", "import", "molen", str(tmp_path / "pipe.csv"))


def test_an_inactive_shop_takes_no_import(molen: Installation) -> None:
    (molen.folder / "orders.csv").write_text("email\nc@example.com\n")
    molen.ok("shop", "deactivate", "molen")
    assert "The shop is not active" in molen.refused(1, "order", "import", "molen", "orders.csv")
    assert molen.json("invitation", "list") == []


def test_an_import_that_was_killed_and_run_again_brings_every_order_once(
    molen: Installation, as_process: AsProcess
) -> None:
    total = 3_200
    lines = "".join(f"c{number}@example.com,{number}\n" for number in range(total))
    (molen.folder / "orders.csv").write_text("email,orderNumber\n" + lines)
    command = ("order", "import", "molen", "orders.csv")
    with as_process(molen).halted(*AFTER_FOUR_BATCHES, *command) as process:
        process.kill()
        process.communicate(timeout=TIMEOUT_SECONDS)
    kept = orders_kept(molen)
    assert kept == 2_000
    again = molen.json(*command)
    assert again == {"new": total - kept, "duplicate": kept, "refused": []}
    assert orders_kept(molen) == total


def test_an_interrupted_import_says_what_it_kept(molen: Installation, as_process: AsProcess) -> None:
    lines = "".join(f"c{number}@example.com,{number}\n" for number in range(3_200))
    (molen.folder / "orders.csv").write_text("email,orderNumber\n" + lines)
    with as_process(molen).halted(*AFTER_FOUR_BATCHES, "order", "import", "molen", "orders.csv") as process:
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert "Stored so far: 1500 new" in err  # and a batch more, which was not entered yet
    assert orders_kept(molen) == 2_000


def test_a_terminal_shows_a_progress_bar_and_a_pipe_does_not(molen: Installation, as_process: AsProcess) -> None:
    (molen.folder / "orders.csv").write_text("email\nc@example.com\n")
    assert "Importing" in as_process(molen).on_terminal("order", "import", "molen", "orders.csv")
    assert molen.run("order", "import", "molen", "orders.csv").err == ""


def orders_kept(installation: Installation) -> int:
    """How many orders are durable, seen by another process."""
    database = installation.folder / "reviewinvite.db"
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        (count,) = connection.execute("SELECT COUNT(*) FROM orders").fetchone()
        return int(count)


@pytest.mark.parametrize("first", ["a@example.com,1001", "email,a@example.com", "1001;a@example.com;nl"])
def test_a_file_without_a_header_line_shows_nobodys_address(molen: Installation, first: str) -> None:
    ended = importing(molen, f"{first}\nb@example.com,1002\n")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines()[-1] == (
        "Error: Invalid value for FILE: the first line of orders.csv is not a header. "
        "Allowed columns: email, orderNumber, language, delayDays."
    )
    assert molen.json("invitation", "list") == []
