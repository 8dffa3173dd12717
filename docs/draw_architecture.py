"""Draw the rooms in docs/architecture.md from the import contracts: `python docs/draw_architecture.py`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "architecture.md"
SOURCE = DOCS.parent / "src"
CORE = "reviewinvite_core"
FIRST, LAST = "<!-- drawn by docs/draw_architecture.py -->\n", "<!-- end of the drawing -->\n"

PURPOSE = {
    "reviewinvite_http": "The HTTP API, the pages, the scripts for shops' pages, and the server that runs them.",
    "reviewinvite_cli": "The `reviewinvite` command.",
    "testing": "The mailer's contract suite, a mail server that misbehaves, a clock and values, for tests and `prove`.",
    "admin": "The public names of what operators do to an installation.",
    "values": "The public names of values that calls take and return, beside those at the root.",
    "maintenance": "What an operator does to an installation: backup, restore, copy, migrations, inspection.",
    "bootstrap": "The composition root: settings, and how an application is built from them.",
    "application": "The facade: the calls of each capability, for threads and for asyncio.",
    "adapters": "The ports' implementations: storage, mail, domain verification, clock, files.",
    "usecases": "What the service does: one or two files for each capability.",
    "texts": "The texts that customers read, in each language that has a catalogue.",
    "wire": "What JSON shows, and how it is read.",
    "execution": "How a call becomes a durable commit: batches, locks, how use cases are declared and run.",
    "forks": "The guard against use after a fork.",
    "ports": "What the use cases need from outside, as Protocols: one file for each concern.",
    "domain": "Values and rules that hold on every storage and transport: no I/O, no clock.",
}

Layers = Sequence[Sequence[str]]


def page() -> str:
    """Return the page, with the part between the markers drawn from the code as it is now."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(FIRST)
    _, _, after = rest.partition(LAST)
    return "".join([before, FIRST, *(f"{line}\n" for line in _drawing()), LAST, after])


def _drawing() -> Iterator[str]:
    transports, *_ = layers("transports")
    rooms = layers("layers")
    yield from ["![The rooms, and which may import from which](diagrams/rooms.svg)", ""]
    yield from ["| room | what is in it |", "|---|---|"]
    yield from (_row(name, name) for name in transports)
    yield from (_row(name, f"{CORE}/{name}") for layer in rooms for name in layer)


def layers(contract: str) -> Layers:
    """Return the layers of a contract in pyproject.toml, the highest first, each with its modules."""
    pyproject = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    [found] = [each for each in pyproject["tool"]["importlinter"]["contracts"] if each["id"] == contract]
    return [re.split(r"\s*[|:]\s*", layer) for layer in found["layers"]]


def packages_of(name: str) -> str:
    """Return the packages in a room, as a list to read."""
    folder = SOURCE / name if (SOURCE / name).is_dir() else SOURCE / CORE / name
    return ", ".join(sorted(each.parent.name for each in folder.glob("*/__init__.py")))


def _row(name: str, path: str) -> str:
    place = path if (SOURCE / path).is_dir() else f"{path}.py"
    return f"| [`{name}`](../src/{place}) | {PURPOSE[name]} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
