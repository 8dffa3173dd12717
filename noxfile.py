# /// script
# dependencies = ["nox[uv]>=2025.10.14"]
# ///
"""The checks. `nox` runs what a contributor runs, `nox -s quick` answers within a minute, `nox -l` lists the rest."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nox

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "types", "contracts", "tests", "features"]
nox.options.error_on_missing_interpreters = True

ROOM_FOR_TESTS = 4 * 2**30
SIDE_BY_SIDE = (
    f"--numprocesses={2 * (os.cpu_count() or 1)}",  # tests wait for sockets, processes and browsers half of the time
    "--maxprocesses=8",
    "--dist=loadfile",  # a file's tests share what they set up
)
ALONE = "tests/deploy/test_outages.py"  # its clocks run 20 times as fast: a busy machine would look like an outage
QUICK = "not (postgres or sqlite or process or browser or machine or full or soak)"

LOCKS = {
    "build": ("--group", "build"),  # what builds the wheel that a deployment installs
    "all": ("pyproject.toml", "--extra", "all"),  # what a deployment installs: not the extra `testing`
    "extras": ("pyproject.toml", "--extra", "all", "--extra", "otel", "--extra", "sentry"),  # and what it may add
    "checks": ("pyproject.toml", "--all-extras", "--group", "checks", "--group", "examples"),
    "bench": ("pyproject.toml", "--all-extras", "--group", "checks", "--group", "examples", "--group", "bench"),
    "docs": ("pyproject.toml", "--all-extras", "--group", "checks", "--group", "examples", "--group", "docs"),
}


def install(session: nox.Session, lock: str = "checks") -> None:
    """Install the locked dependencies, checked against their hashes, and this distribution in place."""
    session.install("--require-hashes", "-r", f"locks/{lock}.txt")
    session.install("--no-deps", "--no-build-isolation", "-e", ".")


@contextmanager
def test_environment() -> Iterator[dict[str, str]]:
    """Yield the tests' environment, with its temporary folder in memory if there is room.

    A process that is still ending may write there during removal; what it leaves does no harm.
    """
    memory = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > ROOM_FOR_TESTS
    with tempfile.TemporaryDirectory(dir=memory if roomy else None, ignore_cleanup_errors=True) as folder:
        yield {"TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": ""}  # what is compiled once serves the next run


def check_style(session: nox.Session) -> None:
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("codespell")
    session.run("python", "-m", "tools.catalogues", "check")
    session.run("python", "-m", "tools.prose")


@nox.session
def quick(session: nox.Session) -> None:
    """Answer within a minute: style, types, import contracts and the fast tests; takes pytest's options."""
    install(session)
    check_style(session)
    session.run("mypy")
    session.run("lint-imports")
    with test_environment() as environment:
        session.run(
            *("pytest", *SIDE_BY_SIDE, "--quiet", "--hypothesis-profile=quick", "-m", QUICK, "tests", "features"),
            *session.posargs,
            env=environment,
        )


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, common mistakes, spelling, wording, and that every text is in every language."""
    install(session)
    check_style(session)


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly, of the packages, their tests and their tools."""
    install(session)
    session.run("mypy")


@nox.session
def contracts(session: nox.Session) -> None:
    """Check the import rules between layers."""
    install(session)
    session.run("lint-imports")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, and the examples in the README and the docstrings."""
    install(session)
    with test_environment() as environment:
        session.run("pytest", *SIDE_BY_SIDE, "tests", *session.posargs, env=environment)
    session.run("pytest", "--doctest-modules", "--doctest-glob=*.md", "src/reviewinvite_core/domain", "README.md")


@nox.session
def features(session: nox.Session) -> None:
    """Run the executable documentation: on the library, over HTTP and on the command line."""
    install(session)
    with test_environment() as environment:
        session.run("pytest", *SIDE_BY_SIDE, "features", *session.posargs, env=environment)


@nox.session
def full(session: nox.Session) -> None:
    """Run what `nox` leaves out: combinations, kills, failovers, real programs around the service, benchmarks in small.

    The list at the end says which tests were not possible here, for example without root.
    """
    install(session, "bench")
    pytest = ("pytest", "-r", "s", "-m", "full and not soak")
    with test_environment() as environment:
        if session.posargs:
            session.run(*pytest, *SIDE_BY_SIDE, "tests", "features", *session.posargs, env=environment)
            return
        session.run(*pytest, *SIDE_BY_SIDE, f"--ignore={ALONE}", "tests", "features", env=environment)
        session.run(*pytest, ALONE, env=environment)
    session.notify("lowest")


@nox.session
def lowest(session: nox.Session) -> None:
    """Run the quick tests, among them the help of every command, and the README on the lowest versions we allow."""
    install(session, "lowest")
    with test_environment() as environment:
        session.run(
            *("pytest", *SIDE_BY_SIDE, "--quiet", "--hypothesis-profile=quick", "-m", QUICK, "tests", "features"),
            *session.posargs,
            env=environment,
        )
    session.run("pytest", "--doctest-glob=*.md", "README.md")


@nox.session
def soak(session: nox.Session) -> None:
    """Run the long tests and all property tests: many kills, many rounds, other examples each time."""
    install(session)
    with test_environment() as environment:
        session.run(
            *("pytest", "--hypothesis-profile=soak", "-m", "soak or hypothesis", "--timeout=0", "tests"),
            *session.posargs,
            env=environment,
        )


@nox.session
def coverage(session: nox.Session) -> None:
    """Report lines that no in-process test covers."""
    install(session)
    session.run("coverage", "run", "-m", "pytest", "tests", "features", *session.posargs)
    session.run("coverage", "report", "--skip-covered", "--show-missing")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation in build/docs, with the features as they run now, and check it: links and requests."""
    install(session, "docs")
    shutil.rmtree("build/docs", ignore_errors=True)
    with test_environment() as environment:
        session.run("pytest", *SIDE_BY_SIDE, "--quiet", "features", "--living=build/docs/records", env=environment)
    session.run("python", "-m", "tools.website", "build/docs", "--living=build/docs/records", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure ratios to bare baselines, and print them as a table."""
    install(session, "bench")
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(venv_backend="none")
def lock(session: nox.Session) -> None:
    """Resolve the dependencies again and write the lock files; needs uv.

    Releases of the last week are passed over: they may be withdrawn again, and not every mirror has them yet.
    """
    if shutil.which("uv") is None:
        session.error("install uv first")
    compile_lock = ("uv", "pip", "compile", "--universal", "--no-emit-index-url", "--quiet", "--upgrade")
    recent = ("--exclude-newer", "1 week")
    bounds = f"{session.create_tmp()}/bounds.txt"
    lowest_bounds = ("pyproject.toml", "--all-extras", "--resolution", "lowest-direct")
    session.run(*compile_lock, *recent, *lowest_bounds, "--output-file", bounds, external=True)
    for name, selected in {**LOCKS, "lowest": (*LOCKS["checks"], "--constraint", bounds, "--no-annotate")}.items():
        session.run(
            *(*compile_lock, *recent, *selected, "--generate-hashes"),
            *("--custom-compile-command", "nox -s lock", "--output-file", f"locks/{name}.txt"),
            external=True,
        )
