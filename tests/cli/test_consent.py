"""Commands that are hard to undo ask first; all others never do. Spec: §1, Managing the service."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

import pytest
from tests.cli.command import COMMAND, AsProcess
from tests.cli.command_tree import EVERY_COMMAND
from tests.cli.harness import Installation
from tests.waiting import TIMEOUT_SECONDS

ASKING = {
    "privacy erase": ("anna@example.com",),
    "key revoke": ("key_0123456789abcdef",),
    "signing-key compromised": ("key",),
    "db restore": ("backup.db",),
    "db reconcile": (),
    "secret rotate": (),
    "domain remove": ("molen", "www.example.nl"),
    "member remove": ("molen", "anna@example.com"),
    "invitation resolve": ("id", "--resend"),
    "invitation retry": ("id",),
}


def test_these_commands_ask_and_no_others() -> None:
    asking = {
        " ".join(path)
        for path, command in EVERY_COMMAND.items()
        if any("--yes" in each.opts for each in command.params)
    }
    assert asking == {*ASKING, "init"}  # `init` asks for settings, which `--yes` sets to their defaults


@pytest.mark.parametrize("command", ASKING)
def test_without_a_terminal_it_does_nothing_unasked(shared: Installation, command: str) -> None:
    said = shared.refused(2, *command.split(), *ASKING[command])
    assert "cannot ask for confirmation without a terminal: add --yes." in said


@pytest.mark.parametrize(
    ("command", "question"),
    [
        (("privacy", "erase", "anna@example.com"), "Erase it? [y/N]:"),
        (("domain", "remove", "molen", "www.example.nl"), "Remove this host? [y/N]:"),
        (("member", "remove", "molen", "anna@example.com"), "Remove this member? [y/N]:"),
        (("db", "restore", "backup.db"), "Restore it? [y/N]:"),
        (("secret", "rotate"), "Rotate the secret? [y/N]:"),
        (("invitation", "retry", "id"), "Try 1 again? [y/N]:"),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_on_a_terminal_it_asks_and_no_is_the_default(
    molen: Installation, as_process: AsProcess, command: tuple[str, ...], question: str
) -> None:
    molen.ok("db", "backup", "backup.db")
    molen.ok("member", "add", "molen", "anna@example.com")
    files = {each: each.read_bytes() for each in molen.folder.iterdir() if each.suffix == ".secret"}
    shown = as_process(molen).on_terminal(*command, typed="\n")
    assert question in shown
    assert "Nothing was changed." in shown
    assert {each: each.read_bytes() for each in molen.folder.iterdir() if each.suffix == ".secret"} == files


def press_ctrl_c(process: subprocess.Popen[bytes], terminal: int) -> int:
    """Press it until the process ends, and return its exit code.

    Python takes no notice of one that comes after it has shown a prompt, and before it waits for the answer.
    """
    for _ in range(int(TIMEOUT_SECONDS / 5)):
        os.write(terminal, b"\x03")
        with suppress(subprocess.TimeoutExpired):
            return process.wait(5)
    raise TimeoutError(process.args)


def test_ctrl_c_is_no_answer(molen: Installation, as_process: AsProcess) -> None:
    key_id = molen.json("key", "create", "molen")["keyId"]
    with as_process(molen).attached("key", "revoke", key_id) as (process, terminal):
        shown = b""
        while b"[y/N]:" not in shown:
            shown += os.read(terminal, 65536)
        assert press_ctrl_c(process, terminal) == 130
        assert b"Nothing was changed." in os.read(terminal, 65536)
    assert molen.json("key", "list", "molen")[0]["revokedAt"] is None


def test_yes_is_an_answer(molen: Installation, as_process: AsProcess) -> None:
    key_id = molen.json("key", "create", "molen")["keyId"]
    assert "Revoked" in as_process(molen).on_terminal("key", "revoke", key_id, typed="y\n")
    assert molen.json("key", "list", "molen")[0]["revokedAt"]


def test_where_nothing_is_to_be_reconciled_nothing_is_asked(molen: Installation, as_process: AsProcess) -> None:
    assert as_process(molen).on_terminal("db", "reconcile") == "Nothing to reconcile: the database is up to date.\n"


@pytest.mark.parametrize(
    "command",
    [
        ("order", "report", "molen", "-", "--json"),
        ("suppression", "add", "-", "--json"),
        ("member", "add", "molen", "-", "--json"),
        ("privacy", "export", "-", "--json"),
        ("privacy", "erase", "-", "--yes", "--json"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_an_address_comes_from_standard_input(
    molen: Installation, as_process: AsProcess, command: tuple[str, ...]
) -> None:
    process = as_process(molen)
    assert process.run_program([*COMMAND, *command], stdin=b"anna@example.com\nmore\n").code == 0
    refused = process.run_program([*COMMAND, *command], stdin=b"anna\xff\n")
    assert refused.code == 2
    assert "EMAIL is not a valid e-mail address." in refused.err
