"""The memory of `serve`, and what it takes to start: the library's import and the command's `--version`.

Memory is read from /proc, so this runs on Linux only.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.load import generate_talk, talk_with_keys
from benchmarks.measure import (
    Claim,
    Group,
    Measure,
    Row,
    Sizes,
    at_most,
    bounded,
    checked,
    compared,
    in_turns,
    progress,
)
from benchmarks.servers import free_port, make_keys, our_server

KEYS = 10_000  # a minute of load uses each less than 120 times, up to 20,000 requests a second
HEAVY = ("litestar", "typer", "dns", "jinja2")
IDLE_SECONDS = 3
PARTS = "attrs, cattrs, nacl.signing, email_validator, sqlite3"
BUILD_NAMES = "from reviewinvite_core import Settings, build"

IMPORT = Claim(
    key="import-core", what="`import reviewinvite_core`", against=f"importing {PARTS}", unit="ms", goal=at_most(1.4)
)
BUILD = Claim(key="import-build", what=f"`{BUILD_NAMES}`", against=f"importing {PARTS}", unit="ms", goal=at_most(1.4))
VERSION = Claim(
    key="version-command",
    what="`reviewinvite --version`",
    against="a bare typer application",
    unit="ms",
    goal=at_most(1.3),
)
WEIGHT = Claim(key="core-loads", what=f"modules that importing `build` loads, of {', '.join(HEAVY)}", goal=at_most(0))
IDLE = Claim(key="serve-memory-idle", what="memory of an idle `serve`", unit="MiB", goal=at_most(120))
LOADED = Claim(
    key="serve-memory-loaded",
    what="memory of `serve` after a minute of orders from 64 connections",
    unit="MiB",
    goal=at_most(160),
)


def _measure_weight(_: Sizes) -> Iterator[Row]:
    program = f"{BUILD_NAMES}; import sys; print(*[name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    yield checked(WEIGHT, loaded or "none", met=not loaded)


def _measure_start(sizes: Sizes) -> Iterator[Row]:
    figures = in_turns(
        {
            "core": _importing("import reviewinvite_core"),
            "build": _importing(BUILD_NAMES),
            "parts": _importing(f"import {PARTS}"),
            "command": _running("reviewinvite_cli", "--version"),
            "typer": _running("benchmarks.bare_typer", "--version"),
        },
        sizes.starts,
    )
    yield compared(IMPORT, figures["core"], figures["parts"])
    yield compared(BUILD, figures["build"], figures["parts"])
    yield compared(VERSION, figures["command"], figures["typer"])


def _importing(statement: str) -> Measure:
    """Milliseconds that an import takes in a new interpreter, without its own start."""
    program = f"import time; begin = time.perf_counter(); {statement}; print(time.perf_counter() - begin)"

    def run() -> float:
        done = subprocess.run([sys.executable, "-c", program], env=_compiling(), capture_output=True, check=True)
        return float(done.stdout) * 1000

    run()  # the first may have to compile
    return run


def _running(*arguments: str) -> Measure:
    """Milliseconds from the start of a program to its end."""

    def run() -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", *arguments], env=_compiling(), stdout=subprocess.DEVNULL, check=True)
        return (time.perf_counter() - begin) * 1000

    run()  # the first may have to compile
    return run


def _compiling() -> dict[str, str]:
    """Return an environment in which Python keeps what it compiles, as an installation does."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}


def _measure_memory(sizes: Sizes) -> Iterator[Row]:
    seconds = 15 * sizes.seconds
    with tempfile.TemporaryDirectory() as temporary:
        directory, port = Path(temporary), free_port()
        talk = talk_with_keys(make_keys(directory, KEYS))
        with our_server(directory, port) as process_id:
            time.sleep(IDLE_SECONDS)
            idle = resident_mebibytes(process_id)
            progress(f"idle: {idle:.1f} MiB; now {seconds:g} s of load")
            load = generate_talk(port, talk=talk, seconds=seconds, first_order=1)
            progress(f"{load.requests:,} orders")
            loaded = resident_mebibytes(process_id)
    yield bounded(IDLE, idle)
    yield bounded(LOADED, loaded)


def resident_mebibytes(process_id: int) -> float:
    status = Path(f"/proc/{process_id}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


STARTS = Group((IMPORT, BUILD, VERSION), _measure_start)
MORE = Group((WEIGHT, IDLE, LOADED), lambda sizes: itertools.chain(_measure_weight(sizes), _measure_memory(sizes)))
