"""The programs of the guide for shops that report orders from a server, with the service's address filled in.

`guide.md` is a copy of the page in `docs/how-to`, whose programs the tests run; a test compares the two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

import attrs

_KEY = "REVIEWS_KEY"


@attrs.frozen
class Program:
    """A program that reports an order; `setting` gives it the API key."""

    name: str
    text: str


@attrs.frozen
class _Language:
    """A language of the guide: its heading, its code blocks, and how its program reads the service's address."""

    heading: str
    block: str
    address: str
    literal: Callable[[str], str]


def _in_php(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_LANGUAGES = (
    _Language("curl", "sh", "$REVIEWS_URL", str),
    _Language("PHP", "php", "getenv('REVIEWS_URL')", _in_php),
    _Language("Python", "python", 'os.environ["REVIEWS_URL"]', json.dumps),
    _Language("Node.js", "js", "process.env.REVIEWS_URL", json.dumps),
)


@cache
def programs(base_url: str) -> Sequence[Program]:
    """Return the programs of the guide for this service."""
    guide = (files(__package__) / "guide.md").read_text(encoding="utf-8")
    return [Program(each.heading, _text(guide, each, base_url)) for each in _LANGUAGES]


def key_setting(key: str) -> str:
    """Return the line that gives the programs an API key."""
    return f"export {_KEY}={key}"


def _text(guide: str, language: _Language, base_url: str) -> str:
    part = re.split(rf"^### {re.escape(language.heading)}$", guide, flags=re.MULTILINE)[1]
    (text,) = re.findall(rf"^```{language.block}\n(.*?)^```$", part.partition("\n##")[0], re.DOTALL | re.MULTILINE)
    return str(text).replace(language.address, language.literal(base_url))
