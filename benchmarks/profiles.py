"""Where the time goes: the command itself under py-spy, with all processes that it starts.

Of what was sampled, only stacks count that lead through the service's own packages, and not through what fills a
database first. So neither the peers nor the load generator show. A thread that waits is not sampled.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

PER_SECOND = 200
SHOWN = 30
PY_SPY = Path(sys.executable).with_name("py-spy")
OWN = ("reviewinvite_core/", "reviewinvite_http/", "reviewinvite_cli/")
LEFT_OUT = ("fill (", "make_keys (", "store_orders (", "messages_of (", "bare_litestar", "_find_and_load")


def run_profiled() -> None:
    """Run this command again without `--profile` under py-spy, and print its table and then the profile.

    Without py-spy, cProfile shows the first thread of the command itself, but no server that it starts.
    """
    arguments = [argument for argument in sys.argv[1:] if argument != "--profile"]
    if not PY_SPY.exists():
        subprocess.run([sys.executable, "-m", "cProfile", "--sort=tottime", "-m", "benchmarks", *arguments], check=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        stacks = Path(folder, "stacks")
        sampler = [str(PY_SPY), "record", "--subprocesses", f"--rate={PER_SECOND}", "--full-filenames", "--format=raw"]
        command = [sys.executable, "-m", "benchmarks", *arguments]
        subprocess.run([*sampler, f"--output={stacks}", "--", *command], stderr=sys.stderr, check=True)
        lines = stacks.read_text().splitlines()
    print(f"\n{profile(lines)}")


def profile(lines: Iterable[str]) -> str:
    """Return two tables: the functions that run most, and those of ours in which, with all they call, most time passes.

    Each line is a stack and how often it was sampled: `process;outermost (file:line);...;innermost (file:line) 7`.
    """
    alone: Counter[str] = Counter()
    together: Counter[str] = Counter()
    samples = 0
    for line in lines:
        stack, _, times = line.rpartition(" ")
        if any(own in stack for own in OWN) and not any(other in stack for other in LEFT_OUT):
            frames = stack.split(";")[1:]
            samples += int(times)
            alone[_function(frames[-1])] += int(times)
            for function in {_function(frame) for frame in frames if any(own in frame for own in OWN)}:
                together[function] += int(times)
    if not samples:
        return "Nothing of the service was sampled."
    return "\n\n".join(
        [f"{samples:,} samples.", _table("itself", alone, samples), _table("with all it calls", together, samples)]
    )


def _function(frame: str) -> str:
    """Return `name (file)`, with the file's last folders and without the line."""
    name, _, place = frame.rpartition(" (")
    file = place.removesuffix(")").rpartition(":")[0]
    return f"{name} ({'/'.join(Path(file).parts[-3:])})"


def _table(heading: str, counted: Counter[str], samples: int) -> str:
    lines: Sequence[str] = [
        f"| {times / samples:.1%} | `{function}` |" for function, times in counted.most_common(SHOWN)
    ]
    return "\n".join([f"| share | function, {heading} |", "|---:|---|", *lines])
