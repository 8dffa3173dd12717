"""Measure an installation of the core alone: its distributions, their size on disk, and the time to import them.

Makes an empty virtual environment, installs this tree into it without extras, and prints two tables in Markdown.
The figures of docs/adr/0038-why-each-dependency.md come from here.

`python -m benchmarks.dependencies`
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from statistics import median
from typing import TypeAlias

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.measure import in_turns, progress

CORE = "reviewinvite"
MOST = 27
OF_EVERY_ENVIRONMENT = frozenset({"pip", "setuptools"})
MODULES = {
    "attrs": "attrs",
    "babel": "babel.dates",
    "cattrs": "cattrs",
    "dnspython": "dns.resolver",
    "email-validator": "email_validator",
    "idna": "idna",
    "jinja2": "jinja2",
    "publicsuffixlist": "publicsuffixlist",
    "pynacl": "nacl.signing",
    "rfc8785": "rfc8785",
    "sqlite-utils": "sqlite_utils",
    "structlog": "structlog",
}
"""The core's dependencies, each with the module of it that the core imports."""

FRONT_DOOR = "reviewinvite_core.bootstrap.compose"
"""The module of `build`; `reviewinvite_core` imports its names on first use."""

Installed: TypeAlias = Mapping[str, Distribution]


def installed_in(paths: Iterable[str] | None = None) -> Installed:
    """Return the distributions on these paths, or else on this interpreter's, by canonical name."""
    found = distributions() if paths is None else distributions(path=list(paths))
    return {canonicalize_name(each.metadata["Name"]): each for each in found}


def direct(installed: Installed, name: str = CORE, extras: frozenset[str] = frozenset()) -> Iterator[Requirement]:
    """Yield what a distribution asks for on this machine, with these extras."""
    for line in installed[name].requires or ():
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras or {""}):
            yield wanted


def needed_by(installed: Installed, name: str = CORE) -> frozenset[str]:
    """Return the names of all that a distribution needs, at whatever remove, and its own."""
    found: dict[str, frozenset[str]] = {}
    waiting = [(name, frozenset[str]())]
    while waiting:
        current, extras = waiting.pop()
        if current in found and extras <= found[current]:
            continue
        found[current] = found.get(current, frozenset()) | extras
        wanted = direct(installed, current, found[current])
        waiting.extend((canonicalize_name(each.name), frozenset(each.extras)) for each in wanted)
    return frozenset(found)


def kibibytes(distribution: Distribution) -> float:
    """Return the size of its files, compiled ones included."""
    places = (Path(str(file.locate())) for file in distribution.files or ())
    return sum(place.stat().st_size for place in places if place.is_file()) / 1024


def main() -> None:
    """Install, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7, help="of each import")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = _installed_core(Path(folder))
        installed = installed_in([_site_packages(python)])
        times = _import_times(python, given.repetitions)
        brought = _brought_by_front_door(python)
        print("\n".join([*_summary(installed, times), "", *_table(installed, times, brought)]))


def _installed_core(folder: Path) -> str:
    progress("installing the core alone")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = str(folder / "venv" / "bin" / "python")
    tree = Path(__file__).parent.parent
    subprocess.run([python, "-m", "pip", "install", "--quiet", tree], check=True)
    return python


def _site_packages(python: str) -> str:
    return _answer(python, "import sysconfig; print(sysconfig.get_path('purelib'))")


def _answer(python: str, program: str) -> str:
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def _import_times(python: str, repetitions: int) -> Mapping[str, float]:
    """Milliseconds to import each module in a new interpreter, without its own start; the middle one of some."""

    def importing(module: str) -> float:
        program = f"import time; begin = time.perf_counter(); import {module}; print(time.perf_counter() - begin)"
        return float(_answer(python, program)) * 1000

    modules = {**MODULES, CORE: FRONT_DOOR}
    for module in modules.values():
        importing(module)  # the first may have to compile
    measures = {name: lambda module=module: importing(module) for name, module in modules.items()}
    return {name: median(each) for name, each in in_turns(measures, repetitions).items()}


def _brought_by_front_door(python: str) -> frozenset[str]:
    loaded = _answer(python, f"import sys, {FRONT_DOOR}; print(*sys.modules)").split()
    return frozenset(name for name, module in MODULES.items() if module.partition(".")[0] in loaded)


def _summary(installed: Installed, times: Mapping[str, float]) -> Iterator[str]:
    total = sum(map(kibibytes, installed.values()))
    yield f"Distributions: {len(installed)} (at most {MOST}), {total / 1024:.1f} MiB."
    yield f"`import {FRONT_DOOR}`: {times[CORE]:.0f} ms."


def _table(installed: Installed, times: Mapping[str, float], brought: frozenset[str]) -> Iterator[str]:
    yield "| dependency | version | KiB | brings besides | KiB of these | import, ms | with the front door |"
    yield "|---|---|---|---|---|---|---|"
    for name in MODULES:
        others = frozenset[str]().union(*(needed_by(installed, other) for other in MODULES if other != name))
        alone = sorted(needed_by(installed, name) - others - {name})
        cells: Sequence[object] = (
            name,
            installed[name].version,
            f"{kibibytes(installed[name]):,.0f}",
            ", ".join(alone) or "-",
            f"{sum(kibibytes(installed[each]) for each in alone):,.0f}" if alone else "-",
            f"{times[name]:.0f}",
            "yes" if name in brought else "no",
        )
        yield f"| {' | '.join(map(str, cells))} |"
    rest = OF_EVERY_ENVIRONMENT - needed_by(installed)
    yield f"\nWith the core itself, and {', '.join(sorted(rest & set(installed)))} of every environment."


if __name__ == "__main__":
    main()
