"""Say what is released: `python -m tools.release TAG` checks the tag, and prints the release's part of the changelog.

A tag is `v` and the version in `version.py`; the changelog has a heading with that version and the day.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from reviewinvite_core.version import __version__

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_RELEASED = re.compile(r"(\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tag", help="for example v1.2.3")
    try:
        sys.stdout.write(notes_of(parser.parse_args().tag, __version__, CHANGELOG.read_text(encoding="utf-8")))
    except ValueError as error:
        sys.exit(f"Error: {error}.")


def notes_of(tag: str, version: str, changelog: str) -> str:
    """Return what the changelog says about the release that `tag` names.

    Raises: `ValueError` if the tag is not that of `version`, or the changelog has no dated part for it.
    """
    if tag != f"v{version}":
        message = f"the tag {tag} is not v{version}, the version in version.py"
        raise ValueError(message)
    parts = _HEADING.split(changelog)[1:]
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        if (released := _RELEASED.fullmatch(heading)) and released[1] == version:
            return text.strip() + "\n"
    message = f"CHANGELOG.md has no heading like: ## {version} - YYYY-MM-DD"
    raise ValueError(message)


if __name__ == "__main__":
    main()
