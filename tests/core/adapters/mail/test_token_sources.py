"""Commands and files that give access tokens, and what can be wrong with them."""

from __future__ import annotations

import logging
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import psutil
import pytest
from tests.blocking_mailer import wait_for
from tests.waiting import wait_until

from reviewinvite_core.adapters.mail.token_sources import (
    TokenCommand,
    TokenCommandFailed,
    TokenFile,
    TokenFileUnreadable,
)
from reviewinvite_core.adapters.mail.tokens import Token, TokenMalformed, Tokens, TokenTimeout

TOKEN = "ya29.a0AfB_byC-token-that-nobody-may-read"
Shell: TypeAlias = Callable[..., TokenCommand]


@pytest.fixture
def shell() -> Shell:
    def command(script: str, seconds: float = 600.0) -> TokenCommand:
        return TokenCommand(["/bin/sh", "-c", script], dict(os.environ), seconds)

    return command


def test_the_first_line_that_a_command_prints_is_the_token(shell: Shell) -> None:
    assert shell(f"echo {TOKEN}; echo more; echo and more >&2").read() == Token(TOKEN)


def test_a_command_runs_without_a_shell(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "import sys; print('-'.join(sys.argv[1:]))", "$HOME", "a;b", "*"]
    with pytest.raises(TokenMalformed):  # each word as it is
        TokenCommand(words, {}).read()
    assert TokenCommand([*words[:3], "a", "b"], {}).read() == Token("a-b")


def test_a_command_gets_no_input(shell: Shell) -> None:
    assert shell(f"read line || echo {TOKEN}").read() == Token(TOKEN)


@pytest.mark.parametrize("output", ["", "echo", 'echo \'{"access_token": "x"}\'', "echo not a token"])
def test_a_command_that_prints_no_token_has_none(shell: Shell, output: str) -> None:
    with pytest.raises(TokenMalformed):
        shell(f"{output}\ntrue").read()


def test_what_a_command_prints_without_an_end_takes_no_memory_and_no_more_than_its_time(shell: Shell) -> None:
    with pytest.raises(TokenTimeout):
        shell("yes", seconds=0.3).read()


def test_much_output_is_not_in_the_way(shell: Shell) -> None:
    assert shell(f"echo {TOKEN}; head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2").read() == Token(TOKEN)


def test_an_agent_that_a_command_leaves_running_is_not_waited_for(shell: Shell, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    assert shell(f"sleep 600 & echo $! >{shlex.quote(str(pid))}; echo {TOKEN}").read() == Token(TOKEN)
    psutil.Process(int(pid.read_text())).kill()


def test_a_command_that_takes_too_long_is_ended_with_all_that_it_started(shell: Shell, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(TokenTimeout):
        shell(f"sleep 600 & echo $! >{shlex.quote(str(pid))}; echo {TOKEN}; wait", seconds=2.0).read()

    def is_gone() -> bool:
        try:
            return psutil.Process(int(pid.read_text())).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    wait_until(is_gone)


@pytest.mark.parametrize("words", [["/no/such/program"], ["/"], ["a\0b"], [""]])
def test_a_command_that_cannot_be_started_has_failed(words: list[str]) -> None:
    with pytest.raises(TokenCommandFailed) as caught:
        TokenCommand(words, {}).read()
    assert caught.value.__context__ is None  # it would name the command


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("exit 3", "exit code 3"),
        ("kill -9 $$", "exit code -9"),
        (f"echo {TOKEN}; exit 1", "exit code 1"),
        (
            "echo first >&2; echo AADSTS700082: it has expired. >&2; exit 1",
            "exit code 1: AADSTS700082: it has expired.",
        ),
        (f"echo got {TOKEN} as it is >&2; exit 1", "exit code 1: got [...] as it is"),
        (f"""echo '"access_token":"{TOKEN}"' >&2; exit 1""", "exit code 1: [...]"),
        ("yes abc | head -n 300 | tr '\\n' ' ' >&2; exit 1", "exit code 1: " + ("abc " * 50).strip()),
    ],
)
def test_a_command_that_fails_is_logged_without_what_could_be_a_token(
    shell: Shell, caplog: pytest.LogCaptureFixture, script: str, detail: str
) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(TokenCommandFailed) as caught:
        wait_for(Tokens(shell(script)).current())
    (record,) = caplog.records
    assert vars(record)["fields"] == {"cause": "TokenCommandFailed", "detail": detail}
    assert TOKEN not in f"{record.getMessage()} {caught.value!r}"


def test_a_token_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "token"
    tokens = Tokens(TokenFile(file))
    for text in ("first", "second"):
        file.write_text(f"{text}\n")
        assert wait_for(tokens.current()) == Token(text)
    assert wait_for(tokens.other_than(Token("second"))) is None
    file.write_text("third\n")
    assert wait_for(tokens.other_than(Token("second"))) == Token("third")


@pytest.mark.parametrize(("name", "detail"), [("none", "No such file or directory"), (".", "Is a directory")])
def test_a_token_file_that_cannot_be_read_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, detail: str
) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(TokenFileUnreadable):
        wait_for(Tokens(TokenFile(tmp_path / name)).current())
    (record,) = caplog.records
    assert vars(record)["fields"] == {"cause": "TokenFileUnreadable", "detail": detail}


def test_a_file_that_no_system_can_have_cannot_be_read() -> None:
    with pytest.raises(TokenFileUnreadable):
        TokenFile(Path("a\0b")).read()


def test_a_token_file_that_is_empty_for_a_moment_is_read_again_for_the_next_login(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.touch()
    tokens = Tokens(TokenFile(file))
    with pytest.raises(TokenMalformed):
        wait_for(tokens.current())
    file.write_text(TOKEN)
    assert wait_for(tokens.current()) == Token(TOKEN)
