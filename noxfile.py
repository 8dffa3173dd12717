"""The checks. `nox` runs all of them but the benchmarks and the soak; `nox -l` lists them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "types", "contracts", "tests", "features"]
nox.options.error_on_missing_interpreters = True

ROOM_FOR_TESTS = 4 * 2**30
SIDE_BY_SIDE = ("--numprocesses=auto", "--maxprocesses=4", "--dist=loadfile")  # a file's tests share what they set up

LOCKS = {"all": (), "checks": ("--group", "checks"), "bench": ("--group", "checks", "--group", "bench")}


def install(session: nox.Session, lock: str = "checks") -> None:
    """The locked dependencies, each checked against its hash, and this distribution as it is here."""
    session.install("--require-hashes", "-r", f"locks/{lock}.txt")
    session.install("--no-deps", "--no-build-isolation", "-e", ".")


@contextmanager
def quick_folder() -> Iterator[dict[str, str]]:
    """Where tests keep their files: in memory if there is room, as they wait for the disk some ten thousand times.

    A process that has not quite ended may still write there while it is removed: what is left then does no harm.
    """
    memory = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > ROOM_FOR_TESTS
    with tempfile.TemporaryDirectory(dir=memory if roomy else None, ignore_cleanup_errors=True) as folder:
        yield {"TMPDIR": folder}


@nox.session
def lint(session: nox.Session) -> None:
    """Style and the common mistakes."""
    install(session)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Strict types over all that is shipped."""
    install(session)
    session.run("mypy")


@nox.session
def contracts(session: nox.Session) -> None:
    """The rooms of the house: who may import whom."""
    install(session)
    session.run("lint-imports")


@nox.session
def tests(session: nox.Session) -> None:
    """Everything under tests/, and the examples in the README and the docstrings."""
    install(session)
    with quick_folder() as environment:
        session.run("pytest", *SIDE_BY_SIDE, "tests", *session.posargs, env=environment)
    session.run("pytest", "--doctest-modules", "--doctest-glob=*.md", "src/reviewinvite_core/domain", "README.md")


@nox.session
def features(session: nox.Session) -> None:
    """The executable documentation, on the library, over HTTP and on the command line."""
    install(session)
    with quick_folder() as environment:
        session.run("pytest", *SIDE_BY_SIDE, "features", *session.posargs, env=environment)


@nox.session
def soak(session: nox.Session) -> None:
    """The long runs: many kills, many rounds."""
    install(session)
    with quick_folder() as environment:
        session.run("pytest", "-m", "soak", "--timeout=0", "tests", *session.posargs, env=environment)


@nox.session
def coverage(session: nox.Session) -> None:
    """Which lines no test of this process runs."""
    install(session)
    session.run("coverage", "run", "-m", "pytest", "tests", "features", *session.posargs)
    session.run("coverage", "report", "--skip-covered", "--show-missing")


@nox.session
def bench(session: nox.Session) -> None:
    """Ratios to bare baselines, as a table."""
    install(session, "bench")
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(venv_backend="none")
def lock(session: nox.Session) -> None:
    """Resolve the dependencies anew and write the lock files; needs uv.

    Releases of the last week are passed over: they may be withdrawn again, and not every mirror has them yet.
    """
    if shutil.which("uv") is None:
        session.error("install uv first")
    for name, groups in LOCKS.items():
        session.run(
            *("uv", "pip", "compile", "pyproject.toml", "--all-extras", *groups),
            *("--universal", "--generate-hashes", "--no-emit-index-url", "--quiet", "--upgrade"),
            *("--exclude-newer", "1 week"),
            *("--custom-compile-command", "nox -s lock", "--output-file", f"locks/{name}.txt"),
            external=True,
        )
