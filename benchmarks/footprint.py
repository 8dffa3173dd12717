"""The memory of `serve`, and what it takes to start: the library's import and the command's `--version`.

Memory is read from /proc, so this runs on Linux only.

`python -m benchmarks.footprint`
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.load import generate
from benchmarks.measure import Measure, Row, at_most, bounded, compared, in_turns, progress, report
from benchmarks.servers import free_port, make_keys, our_server

KEYS = 10_000  # a minute of load uses each less than 120 times, up to 20,000 requests a second
HEAVY = ("litestar", "typer", "dns", "jinja2")
IDLE_SECONDS = 3


def measure(*, seconds: float = 60, repetitions: int = 25) -> Iterator[Row]:
    """Measure start-up in turns, then one server, idle and after `seconds` of load."""
    yield _weight()
    yield from _start_up(repetitions)
    yield from _memory(seconds)


def _weight() -> Row:
    program = f"import sys, reviewinvite_core; print(*[name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    claim = f"{', '.join(HEAVY)}: modules that import reviewinvite_core loads"
    return Row(claim=claim, ours=loaded or "nothing", goal="nothing", met=not loaded)


def _start_up(repetitions: int) -> Iterator[Row]:
    figures = in_turns(
        {
            "core": _importing("reviewinvite_core"),
            "parts": _importing("attrs, cattrs, nacl.signing, email_validator, sqlite3"),
            "command": _running("reviewinvite_cli", "--version"),
            "typer": _running("benchmarks.bare_typer", "--version"),
        },
        repetitions,
    )
    yield compared(
        "import reviewinvite_core, against attrs, cattrs, nacl.signing, email_validator and sqlite3",
        "ms",
        figures["core"],
        figures["parts"],
        at_most(1.3),
    )
    yield compared(
        "reviewinvite --version, against a bare typer app's", "ms", figures["command"], figures["typer"], at_most(1.5)
    )


def _importing(modules: str) -> Measure:
    """Milliseconds to import the modules in a new interpreter, without its own start."""
    program = f"import time; begin = time.perf_counter(); import {modules}; print(time.perf_counter() - begin)"

    def run() -> float:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        return float(done.stdout) * 1000

    run()  # the first may have to compile
    return run


def _running(*arguments: str) -> Measure:
    """Milliseconds from the start of a program to its end."""

    def run() -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, check=True)
        return (time.perf_counter() - begin) * 1000

    run()  # the first may have to compile
    return run


def _memory(seconds: float) -> Sequence[Row]:
    with tempfile.TemporaryDirectory() as temporary:
        directory, port = Path(temporary), free_port()
        keys = make_keys(directory, KEYS)
        with our_server(directory, port) as process_id:
            time.sleep(IDLE_SECONDS)
            idle = resident_mebibytes(process_id)
            progress(f"idle: {idle:.1f} MiB; now {seconds:g} s of load")
            load = generate(port, keys=keys, seconds=seconds, first_order=1)
            loaded = resident_mebibytes(process_id)
    return [
        bounded("serve, idle: resident memory", "MiB", idle, at_most(120)),
        bounded(
            f"serve, after {seconds:g} s of load, {load.requests:,} orders: resident memory",
            "MiB",
            loaded,
            at_most(160),
        ),
    ]


def resident_mebibytes(process_id: int) -> float:
    status = Path(f"/proc/{process_id}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of load on the server")
    parser.add_argument("--repetitions", type=int, default=25, help="of each start-up")
    given = parser.parse_args()
    report(measure(seconds=given.seconds, repetitions=given.repetitions))


if __name__ == "__main__":
    main()
