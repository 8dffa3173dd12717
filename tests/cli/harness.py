"""The command in this process: an installation in a folder, and all that commands print about it.

A run has arguments, a working directory, an environment and standard streams of its own. What it changes in this
process (signal handlers, the exception hook, the logging configuration) is restored when it ends. What only a process
shows (signals, terminals, kills, imports, output that cannot be written) is for `tests.cli.command`.
"""

from __future__ import annotations

import functools
import io
import json
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import pytest
import typer
from tests.cli.command_tree import EVERY_COMMAND
from tests.logs import unconfigured_logging

from reviewinvite_cli import main
from reviewinvite_cli.context import GivenOptions
from reviewinvite_cli.errors import report_exception
from reviewinvite_core import Application, Settings

KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH")
cached_command = functools.cache(typer.main.get_command)
FILE_DESCRIPTORS = Path("/proc/self/fd")
HANDLED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ended(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


class Installation:
    """A folder in which commands run; no setting of the test's own environment reaches them."""

    def __init__(self, folder: Path, *options: str, **variables: str) -> None:
        self.folder = folder
        self.options = options
        self.variables = variables

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return all the variables of a command."""
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return {**kept, "PYTHONWARNINGS": "error", **self.variables, **(more or {})}

    def run(self, *arguments: str, **more: str) -> Ended:
        """Run a command to its end. No command ever shows a traceback, so none may here."""
        return run_here(
            main.run,
            ("reviewinvite", *self.options, *arguments),
            folder=self.folder,
            environment=self.environment(more),
        )

    def ok(self, *arguments: str, **more: str) -> str:
        """Return what a command that succeeds writes to standard output."""
        ended = self.run(*arguments, **more)
        assert ended.code == 0, ended
        return ended.out

    def json(self, *arguments: str, **more: str) -> Any:
        """Return what a command that succeeds prints with `--json`."""
        return json.loads(self.ok(*arguments, "--json", **more))

    def refused(self, code: int, *arguments: str, **more: str) -> str:
        """Return what a command that ends with `code` says on standard error; it prints no data."""
        ended = self.run(*arguments, **more)
        assert ended.code == code, ended
        assert ended.out == ""
        assert ended.err
        return " ".join(ended.err.split())


def run_built(
    build: Callable[[Settings], Application],
    *arguments: str,
    folder: Path,
    environment: Mapping[str, str],
    config: Path | None = None,
) -> Ended:
    """Run a command on the application that `build` makes: with another clock, or another answer of the DNS."""
    path = next(path for path in EVERY_COMMAND if arguments[: len(path)] == path)

    def program() -> None:
        try:
            EVERY_COMMAND[path].main(
                arguments[len(path) :], prog_name=" ".join(path), obj=GivenOptions(config, None, build)
            )
        except Exception as error:
            sys.exit(report_exception(error))

    return run_here(program, ("reviewinvite", *arguments), folder=folder, environment=environment)


def run_here(
    program: Callable[[], object], arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str]
) -> Ended:
    """Run `program` in this process as if it were the main program of another one."""
    written = (io.BytesIO(), io.BytesIO())
    already_open = open_databases()
    streams = [io.TextIOWrapper(each, encoding="utf-8") for each in written]
    with _as_process(arguments, folder, environment, *streams):
        code = _exit_code(program)
    for stream in streams:
        stream.flush()
    ended = Ended(code, *(each.getvalue().decode() for each in written))
    assert "Traceback" not in ended.out + ended.err
    left = open_databases() - already_open
    assert not left, f"{arguments} leaves {left} open: run it in a process of its own"
    return ended


def open_databases() -> set[str]:
    """Return the SQLite databases that this process has open, by the shared memory beside them; Linux only.

    A thread that a command leaves behind would open its database again, by a relative path: that of the next test.
    """
    links = []
    for descriptor in FILE_DESCRIPTORS.glob("*"):
        with suppress(OSError):  # that of the listing is closed by now
            links.append(str(descriptor.readlink()))
    return {link for link in links if link.endswith("-shm")}


def _exit_code(program: Callable[[], object]) -> int:
    try:
        program()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


@contextmanager
def _as_process(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], out: TextIO, err: TextIO
) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, _restored_handlers(), unconfigured_logging(), warnings.catch_warnings():
        warnings.simplefilter("error")
        patch.chdir(folder)
        for name in set(os.environ) - set(environment):
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setattr(tempfile, "tempdir", None)  # it is kept from the first use on, whatever TMPDIR says
        patch.setattr(typer.main, "get_command", cached_command)  # building it takes longer than most commands
        patch.setattr(sys, "argv", list(arguments))
        patch.setattr(sys, "excepthook", sys.excepthook)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
        for name, stream in (("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
            patch.setattr(sys, f"__{name}__", stream)
        yield


@contextmanager
def _restored_handlers() -> Iterator[None]:
    handlers = {each: signal.getsignal(each) for each in HANDLED_SIGNALS}
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
