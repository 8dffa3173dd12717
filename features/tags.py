"""The tags of features, rules and scenarios: each names where a rule exists, and none is general."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Tag:
    """Where what has this tag exists, and the drivers that run it there."""

    meaning: str
    drivers: tuple[str, ...]


GENERAL = ("library-memory", "library-sqlite", "library-postgres", "http-sqlite")
"""The drivers of a scenario that has no tag."""

TAGS: Mapping[str, Tag] = {
    "library": Tag("embedding only", ("library-memory", "library-sqlite", "library-postgres")),
    "lasting": Tag(
        "storage that outlives a process", ("library-sqlite", "library-postgres", "http-sqlite", "http-postgres")
    ),
    "file": Tag("storage in a file", ("library-sqlite", "http-sqlite")),
    "http": Tag("HTTP only", ("http-sqlite", "http-postgres")),
    "cli": Tag("the command only", ("cli-sqlite",)),
}
"""Each tag is a mark of its scenarios, too. What a test uses, and which run it belongs to, are other marks: they follow
from its driver, by `MARKS_BY_VALUE` in the root conftest."""
