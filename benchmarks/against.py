"""Deliveries on PostgreSQL as this commit does them, against an earlier one, in turns on one server.

The earlier commit is installed, with the dependencies that it has locked, in an environment of its own. Both run
`deliver_once.py` as it is here. Use a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.__main__ import add_sizes, sizes_from
from benchmarks.delivery import POSTGRES_CONNECTIONS, messages_of, rate
from benchmarks.mail_sink import Sink, sink
from benchmarks.measure import Claim, Row, Sizes, at_least, compared, in_turns, progress, report
from benchmarks.postgres import new_database, server

EARLIER = Claim(
    key="deliver-postgres-earlier",
    what=f"deliver due invitations, PostgreSQL, {POSTGRES_CONNECTIONS} connections",
    against="the same, an earlier commit",
    unit="messages/s",
    goal=at_least(3),
    stretch=at_least(5),
)
REPOSITORY = Path(__file__).parents[1]
PROGRAM = Path(__file__).with_name("deliver_once.py")


@contextmanager
def environment_of(commit: str) -> Iterator[Path]:
    """Yield the interpreter of a new environment that has the commit installed."""
    with tempfile.TemporaryDirectory() as temporary:
        source, environment = Path(temporary, "source"), Path(temporary, "environment")
        _git("worktree", "add", "--quiet", "--detach", str(source), commit)
        try:
            progress(f"installing {commit}")
            python = environment / "bin" / "python"
            _run(sys.executable, "-m", "venv", str(environment))
            install = (str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check")
            _run(*install, "--require-hashes", "-r", str(source / "locks" / "all.txt"))
            _run(*install, "--no-deps", str(source))
            yield python
        finally:
            _git("worktree", "remove", "--force", str(source))


def measure(commit: str, sizes: Sizes) -> Iterator[Row]:
    """Yield the row of this commit against `commit`."""
    messages = messages_of(sizes.messages)
    with environment_of(commit) as earlier, sink() as mail, server() as url:
        programs = {
            name: partial(_seconds, python, mail, url, sizes.messages)
            for name, python in (("ours", Path(sys.executable)), ("earlier", earlier))
        }
        figures = in_turns(
            {name: partial(rate, program, mail, messages) for name, program in programs.items()}, sizes.repetitions
        )
    yield compared(EARLIER, figures["ours"], figures["earlier"])


def _seconds(python: Path, mail: Sink, server_url: str, count: int, folder: Path) -> float:
    """Deliver with the reviewinvite that this interpreter has, and return the seconds that it took."""
    with new_database(server_url) as given:
        arguments = (given.database_url, mail.port, POSTGRES_CONNECTIONS, folder / "mark", count)
        return float(_run(str(python), str(PROGRAM), *map(str, arguments), folder=folder))


def _git(*arguments: str) -> None:
    _run("git", "-C", str(REPOSITORY), *arguments)


def _run(*command: str, folder: Path | None = None) -> str:
    """Run a command without our own packages in its path, and return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("commit", help="the earlier commit")
    add_sizes(parser)
    given = parser.parse_args(arguments)
    sizes = sizes_from(given)
    report(measure(given.commit, sizes), sizes)


if __name__ == "__main__":
    main()
