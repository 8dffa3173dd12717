"""How the command starts and ends, whatever happens around it."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.budgets import others_in_full
from tests.cli.command import COMMAND, AsProcess
from tests.cli.command_tree import EVERY_COMMAND, CommandPath
from tests.cli.harness import Installation
from tests.waiting import TIMEOUT_SECONDS
from typer.core import TyperArgument, TyperOption

from reviewinvite_cli.errors import problem_in_words, report_exception
from reviewinvite_core import __version__
from reviewinvite_core.values import Problem


def test_every_command_and_parameter_has_help() -> None:
    for path, command in EVERY_COMMAND.items():
        assert command.help, path
        for each in command.params:
            assert isinstance(each, TyperArgument | TyperOption)
            assert each.help or each.hidden, (path, each.name)


def test_every_command_that_prints_data_takes_json() -> None:
    without = {
        path for path, command in EVERY_COMMAND.items() if not any("--json" in each.opts for each in command.params)
    }
    assert without == {("help",), ("demo",), ("serve",)}


def test_help_fits_a_terminal_and_names_every_noun(empty: Installation) -> None:
    shown = empty.ok("--help")
    assert all(path[0] in shown for path in EVERY_COMMAND)
    assert "..." not in shown.partition("Commands:")[2].partition("Settings")[0]
    assert max(map(len, shown.splitlines())) <= 80
    assert "Usage" in empty.ok("order", "import", "--help")


@pytest.mark.parametrize("path", EVERY_COMMAND, ids=" ".join)
def test_arguments_are_shown_by_their_names_alone(empty: Installation, path: CommandPath) -> None:
    shown = empty.ok(*path, "--help")
    assert not re.search(r"[{}]|<[a-z]+>", shown)
    arguments = [each for each in EVERY_COMMAND[path].params if each.param_type_name == "argument"]
    names = [each.metavar or "" for each in arguments]
    in_usage = [name if each.required else f"[{name}]" for each, name in zip(arguments, names, strict=True)]
    in_usage = [f"{name}..." if each.nargs == -1 else name for each, name in zip(arguments, in_usage, strict=True)]
    assert shown.splitlines()[0] == " ".join(["Usage: reviewinvite", *path, "[OPTIONS]", *in_usage])
    for name in names:
        assert re.search(rf"^  {name}  ", shown.partition("Arguments:")[2], re.MULTILINE)
    assert "-h, --help" in shown


def test_version_is_that_of_the_distribution(empty: Installation) -> None:
    assert empty.ok("--version") == f"reviewinvite {__version__}\n"


def test_the_console_script_is_the_same_command(empty: Installation, as_process: AsProcess) -> None:
    script = Path(sys.executable).with_name("reviewinvite")
    assert as_process(empty).run_program([str(script), "--version"]) == (0, f"reviewinvite {__version__}\n", "")


@pytest.mark.parametrize("arguments", [("--version",), ("shop", "list"), ()])
def test_the_core_alone_says_what_the_command_needs(
    empty: Installation, as_process: AsProcess, arguments: tuple[str, ...]
) -> None:
    ended = as_process(empty).run_without(("typer",), *arguments)
    assert ended == (3, "", "Error: the command line is not installed: install reviewinvite[cli].\n")


@pytest.mark.parametrize("package", others_in_full(["litestar", "uvicorn", "uvloop", "httptools", "httpx"], "litestar"))
@pytest.mark.parametrize("arguments", [("serve", "--port", "0"), ("demo", "--once")], ids=" ".join)
def test_without_a_web_server_serve_and_demo_say_what_they_need(
    empty: Installation, as_process: AsProcess, arguments: tuple[str, ...], package: str
) -> None:
    ended = as_process(empty).run_without((package,), *arguments)
    assert ended == (3, "", "Error: The packages for HTTP are not installed: install reviewinvite[http].\n")
    assert not list(empty.folder.iterdir())


@pytest.mark.parametrize(
    ("arguments", "not_imported"),
    [
        (("--help",), ("reviewinvite_core", "cattrs")),
        (
            ("--version",),
            (
                *("reviewinvite_core.domain", "reviewinvite_http", "reviewinvite_cli.commands"),
                *("rich", "attr", "cattrs", "structlog", "csv", "importlib.metadata"),
            ),
        ),
        (
            ("shop", "list"),
            (
                *("reviewinvite_cli.commands.serve", "reviewinvite_http", "litestar", "uvicorn"),
                *("rich", "structlog", "dns", "publicsuffixlist", "cattrs"),
            ),
        ),
    ],
)
def test_nothing_is_imported_before_it_is_needed(
    molen: Installation, as_process: AsProcess, arguments: tuple[str, ...], not_imported: tuple[str, ...]
) -> None:
    imported = as_process(molen).imported(*arguments)
    assert "typer" in imported
    assert imported.isdisjoint(not_imported)


@pytest.mark.parametrize(
    "arguments",
    [("nonsense",), ("shop", "nonsense"), ("shop", "list", "--nonsense"), ("help", "nonsense"), ("shop", "show")],
)
def test_wrong_usage_ends_with_2_and_says_how(empty: Installation, arguments: tuple[str, ...]) -> None:
    ended = empty.run(*arguments)
    assert ended.code == 2
    assert "Usage: reviewinvite" in ended.out + ended.err


@pytest.mark.parametrize(
    ("option", "given"),
    [
        (("--local",), "--local"),
        (("--config", "x.toml"), "--config FILE"),
        (("--database-url=memory:",), "--database-url URL"),
        (("--log-level", "debug"), "--log-level LEVEL"),
        (("--log-format", "json"), "--log-format FORMAT"),
    ],
)
def test_a_global_option_after_the_command_is_told_its_place(
    empty: Installation, option: tuple[str, ...], given: str
) -> None:
    name = given.split()[0]
    for before, after in ((("shop", "list"), ()), (("shop",), ("list",))):
        said = empty.refused(2, *before, *option, *after)
        assert said.endswith(f"Error: {name} comes before the command: reviewinvite {given} {' '.join(before)}")
    assert "No such option: --nonsense" in empty.refused(2, "shop", "list", "--nonsense")


def test_help_of_no_command_names_what_was_asked(empty: Installation) -> None:
    assert "No such command 'nonsense'." in empty.refused(2, "help", "shop", "nonsense")
    assert 'No command "shop add more".' in empty.refused(2, "help", "shop", "add", "more")


@pytest.mark.parametrize(
    ("mistyped", "meant"), [(("invitaton",), "'invitation'"), (("shop", "deactivat"), "'deactivate'")]
)
def test_help_suggests_the_command_that_is_meant(empty: Installation, mistyped: tuple[str, ...], meant: str) -> None:
    for asked in (("help", *mistyped), mistyped):
        assert f"No such command '{mistyped[-1]}'. Did you mean {meant}" in empty.refused(2, *asked)


@pytest.mark.parametrize(
    ("arguments", "same_as"),
    [
        ((), ("--help",)),
        (("help",), ("--help",)),
        (("shop",), ("shop", "--help")),
        (("help", "shop"), ("shop", "--help")),
        (("help", "shop", "add"), ("shop", "add", "--help")),
        (("help", "worker"), ("worker", "-h")),
    ],
)
def test_who_asks_nothing_gets_help(empty: Installation, arguments: tuple[str, ...], same_as: tuple[str, ...]) -> None:
    assert empty.run(*arguments) == (0, empty.ok(*same_as), "")


@pytest.mark.parametrize("group", sorted({path[0] for path in EVERY_COMMAND if len(path) > 1}))
def test_the_help_of_a_group_cuts_no_sentence(empty: Installation, group: str) -> None:
    assert "..." not in empty.ok(group).partition("Commands:")[2]


@pytest.mark.parametrize("columns", [80, 120])
def test_help_is_framed_on_a_terminal(empty: Installation, as_process: AsProcess, columns: int) -> None:
    for arguments in (("--help",), ("shop", "add", "--help")):
        coloured = as_process(empty).on_terminal(*arguments, columns=columns)
        shown = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert "╭─ Options " in shown
        assert "<bool>" not in shown
        assert max(map(len, shown.splitlines())) == columns


@pytest.mark.parametrize("variable", ["NO_COLOR=1", "TERM=dumb"])
def test_help_is_plain_where_that_is_wished(empty: Installation, as_process: AsProcess, variable: str) -> None:
    name, _, value = variable.partition("=")
    asked = {"columns": 80, "typed": "", name: value}
    assert as_process(empty).on_terminal("shop", "--help", **asked) == empty.ok("shop", "--help")  # type: ignore[arg-type]


def test_ctrl_c_while_it_starts_ends_it_quietly(empty: Installation, as_process: AsProcess) -> None:
    program = "import builtins, runpy, sys\n"
    program += "real = builtins.__import__\n"
    program += "def ctrl_c(name, *more):\n"
    program += "    if name == 'typer': raise KeyboardInterrupt\n"
    program += "    return real(name, *more)\n"
    program += "builtins.__import__ = ctrl_c\n"
    program += "from reviewinvite_cli.__main__ import run\nrun()\n"
    assert as_process(empty).run_program([sys.executable, "-c", program]) == (130, "", "")


def test_a_reader_that_goes_away_is_no_reason_for_noise(molen: Installation, as_process: AsProcess) -> None:
    for arguments in (("shop", "list"), ("shop", "list", "--json"), ("key", "create", "molen"), ("--version",)):
        reading, writing = os.pipe()
        os.close(reading)
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=molen.folder,
            env=as_process(molen).environment(),
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.close(writing)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == 0
        assert not [line for line in err.splitlines() if not line.startswith("Save this key")]


PIPES = [
    ("shop list | head -1", 0),
    ("shop list 2>&1 | true", 0),
    ("--help | head -1", 0),
    ("db check | head -1", 1),
    ("shop show nobody 2>&1 | true", 1),
]


@pytest.mark.parametrize(("line", "code"), PIPES)
def test_the_exit_code_does_not_depend_on_who_reads(
    molen: Installation, as_process: AsProcess, line: str, code: int
) -> None:
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection:
        connection.execute("DROP TABLE activity")
        connection.commit()
    script = f"set -o pipefail; {shlex.join(COMMAND)} {line}"
    ended = as_process(molen).run_program(["bash", "--norc", "-c", script])
    assert (ended.code, ended.err) == (code, "" if code == 0 or "2>&1" in line else ended.err)


def test_output_that_cannot_be_written_is_a_failure_in_words(molen: Installation, as_process: AsProcess) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "shop", "list"],
            cwd=molen.folder,
            env=as_process(molen).environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "Error: No space left on device.\n")


def test_a_closed_standard_output_is_no_failure(molen: Installation, as_process: AsProcess) -> None:
    command = " ".join([*COMMAND, "shop", "add", "closed", "--name", "x", ">&-"])
    as_process(molen).run_program(["sh", "-c", command])
    assert molen.json("shop", "show", "closed")["name"] == "x"


def test_an_error_or_a_warning_controls_no_terminal(empty: Installation) -> None:
    hostile = "\x1b[2J\x9b31m\u202e"
    ended = empty.run("--database-url", f"sqlite:///{hostile}/x.db", "db", "check", **{f"REVIEWINVITE_{hostile}": "1"})
    assert ended.code != 0
    assert ended.err.count(r"\x1b[2J\x9b31m\u202e") == 2
    assert not set(hostile) & {"\x1b", "\x9b", "\u202e"} & set(ended.err)


def test_an_unforeseen_fault_is_told_by_its_place_and_without_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError) as caught:
        raise KeyError("customer@example.com")
    assert report_exception(caught.value) == 1
    said = capsys.readouterr().err
    assert "KeyError" in said
    assert "test_ending, line" in said
    assert "customer" not in said


@pytest.mark.parametrize(
    "problem",
    [
        problem
        for problem in Problem
        if problem
        not in {
            Problem.INVALID_JSON,
            Problem.NOT_AN_OBJECT,
            Problem.UNKNOWN_FIELD,
            Problem.DUPLICATE_FIELD,
            Problem.FIELD_MISSING,
        }
    ],
)
def test_every_problem_of_a_value_has_words(problem: Problem) -> None:
    assert problem_in_words(problem, "field") != problem.replace("_", " ")
