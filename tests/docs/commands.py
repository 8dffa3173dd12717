"""The commands of a page's `console` blocks, and what the page says that they print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

VARYING = (
    r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",  # an invitation
    r"rvi_\w+",
    r"(?<=/[ru]/)[\w-]+",  # the token of a link
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?",
)


class Command(NamedTuple):
    """A command of the page, and what the page says that it prints."""

    text: str
    printed: str


def commands_of(page: str) -> Iterator[Command]:
    """Yield the commands of a page; one goes on over lines that end with a backslash, and to the end of its input."""
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            pattern = r"[^\n]*<<'EOF'\n.*?^EOF\n" if "<<'EOF'\n" in part else r"(?:[^\n]*\\\n)*[^\n]*\n"
            found = re.match(pattern, part, re.DOTALL | re.MULTILINE)
            assert found is not None
            yield Command(found[0], part[found.end() :])


def masked(text: str) -> str:
    """Return the text without what differs each time."""
    for pattern in VARYING:
        text = re.sub(pattern, "...", text)
    return text
