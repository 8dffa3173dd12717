"""`python -m tools.website FOLDER --living RECORDS`: build the documentation, check it, and say how large it is.

RECORDS is what `pytest features --living=RECORDS` has written.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.website.api import write_reference
from tools.website.assemble import DOCS, assemble
from tools.website.browser import chromium, requests_to_others, take_pictures
from tools.website.http_reference import write_http_reference
from tools.website.links import count_of, faults_of
from tools.website.living import write_features
from tools.website.pictures import samples

OPENED = (
    "index.html",
    "tutorial/first-review.html",
    "states.html",
    "api/core.html",
    "features/index.html",
    "search.html",
)


def main() -> int:
    """Return 0 if the site was built without a warning, and all that is checked holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the site goes; its sources stand beside it")
    parser.add_argument("--living", type=Path, required=True, help="what the features have recorded")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    source, site = folder / "source", folder / "html"
    started = time.monotonic()
    write_source(source, arguments.living)
    if code := build(source, site, folder / "doctrees"):
        return code
    built = time.monotonic()
    faults = [*faults_of(site), *not_from_here(site)]
    print(*faults, sep="\n", end="\n" if faults else "")
    files = [file for file in site.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 2**20
    pages = sum(file.suffix == ".html" for file in files)
    print(f"{pages} pages, {len(files)} files, {size:.1f} MiB, built in {built - started:.0f} s")
    print(f"{count_of(site)} links inside the site and {len(OPENED)} pages in a browser checked, {len(faults)} faults")
    return 1 if faults else 0


def write_source(source: Path, records: Path) -> None:
    """Write all that Sphinx reads."""
    assemble(source)
    write_reference(source / "api")
    write_http_reference(DOCS / "openapi.json", source / "reference" / "http-api.md")
    shown = write_features(records, source / "features")
    with chromium() as browser:
        take_pictures(browser, shown, source / "features" / "pictures")
        samples(browser, source / "pictures")


def build(source: Path, site: Path, doctrees: Path) -> int:
    """Have Sphinx build all pages again, since it warns only of pages that it reads; return its exit code."""
    options = ["--fresh-env", "--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto"]
    command = [sys.executable, "-m", "sphinx", *options, "-d", str(doctrees), str(source), str(site)]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own arguments


def not_from_here(site: Path) -> Sequence[str]:
    """Return a fault for each request of a page to somebody else."""
    with chromium() as browser:
        return [f"asks for {address}" for address in requests_to_others(browser, site, OPENED)]


if __name__ == "__main__":
    sys.exit(main())
