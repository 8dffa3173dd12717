"""`python -m tools.website FOLDER`: build the documentation there, check it, and say how large it is."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from tools.website.api import write_reference
from tools.website.assemble import DOCS, assemble
from tools.website.http_reference import write_http_reference
from tools.website.links import count_of, faults_of


def main() -> int:
    """Return 0 if the site was built without a warning and all its links lead somewhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the site goes; its sources stand beside it")
    folder = parser.parse_args().folder.resolve()
    source, site = folder / "source", folder / "html"
    started = time.monotonic()
    assemble(source)
    write_reference(source / "api")
    write_http_reference(DOCS / "openapi.json", source / "reference" / "http-api.md")
    # Sphinx finds no warning in pages that it has not read: each build reads all of them
    options = ["--fresh-env", "--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto"]
    ended = subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-m", "sphinx", *options, "-d", str(folder / "doctrees"), str(source), str(site)], check=False
    )
    if ended.returncode:
        return ended.returncode
    faults = list(faults_of(site))
    print(*faults, sep="\n", end="\n" if faults else "")
    files = [file for file in site.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 2**20
    pages = sum(file.suffix == ".html" for file in files)
    print(f"{pages} pages, {len(files)} files, {size:.1f} MiB, built in {time.monotonic() - started:.0f} s")
    print(f"{count_of(site)} links inside the site, {len(faults)} of them wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
