"""Write the bill of materials of a release from the lock that a deployment installs: `python -m tools.sbom FILE`.

cyclonedx-py lists the locked distributions with their hashes, as CycloneDX JSON. What a lock knows besides is added:
the version that is released, and which distribution needs which. The result is checked against the schema.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from packaging.utils import canonicalize_name

from reviewinvite_core.version import __version__

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "locks" / "all.txt"
PROJECT = "reviewinvite"
SCHEMA = SchemaVersion.V1_6

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)
_NEEDED_BY = re.compile(r"^    #(?: via|  ) ([A-Za-z0-9._-]+)(?: \(pyproject\.toml\))?$", re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="where to write it")
    parser.parse_args().file.write_text(bill_of_materials(), encoding="utf-8")


def bill_of_materials(interpreter: str = sys.executable) -> str:
    """Return the bill of materials as CycloneDX JSON; the same lock and tools give the same text.

    Raises: `ValueError` if it does not keep to the schema.
    """
    from cyclonedx.validation.json import JsonStrictValidator  # it takes seconds, and every process collects the tests

    bill = _listed(interpreter)
    root = bill["metadata"]["component"]
    root.update({"bom-ref": PROJECT, "version": __version__, "purl": f"pkg:pypi/{PROJECT}@{__version__}"})
    renamed = {each["bom-ref"]: each["name"] for each in bill["components"]}
    for component in bill["components"]:
        component["bom-ref"] = renamed[component["bom-ref"]]
        component.pop("description", None)  # the line of the lock, once more
    needed: dict[str, set[str]] = {name: set() for name in (PROJECT, *renamed.values())}
    for name, parent in needed_by():
        needed[parent].add(name)
    bill["dependencies"] = [{"ref": name, "dependsOn": sorted(needed[name])} for name in sorted(needed)]
    text = json.dumps(bill, indent=2, sort_keys=True) + "\n"
    if problem := JsonStrictValidator(SCHEMA).validate_str(text):
        message = f"the bill of materials breaks the schema: {problem}"
        raise ValueError(message)
    return text


def needed_by() -> Iterator[tuple[str, str]]:
    """Yield each locked distribution with one that needs it, as the comments of the lock say."""
    parts = _PINNED.split(LOCK.read_text(encoding="utf-8"))[1:]
    for name, rest in zip(parts[::2], parts[1::2], strict=True):
        for parent in _NEEDED_BY.findall(rest):
            yield canonicalize_name(name), canonicalize_name(parent)


def _listed(interpreter: str) -> dict[str, Any]:
    command = [interpreter, "-W", "ignore", "-m", "cyclonedx_py", "requirements", str(LOCK)]
    options = ["--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "application", "--output-reproducible"]
    version = ["--spec-version", SCHEMA.to_version()]
    listed = subprocess.run([*command, *options, *version], check=True, capture_output=True, text=True)
    bill: dict[str, Any] = json.loads(listed.stdout)
    return bill


if __name__ == "__main__":
    main()
