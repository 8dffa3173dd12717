"""The programs of the guide for shops that report orders from a server, with the service's and the shop's names.

`guide.md` is a copy of the page in `docs/how-to`, whose programs the tests run; a test compares the two.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files

import attrs

from reviewinvite_core import SiteId

_KEY = "REVIEWS_KEY"
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@attrs.frozen
class Program:
    """A program that reports an order; `setting` gives it the API key."""

    name: str
    text: str


@attrs.frozen
class _Language:
    """A language of the guide: its heading, its code blocks, and how its program reads the service's address.

    The comment that names the shop begins with `comment` and comes before the line that begins with `first`. In Python
    that is not the first line, where a comment may name another encoding.
    """

    heading: str
    block: str
    address: str
    literal: Callable[[str], str]
    comment: str
    first: str


def _in_php(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_LANGUAGES = (
    _Language("curl", "sh", "$REVIEWS_URL", str, "#", "curl "),
    _Language("PHP", "php", "getenv('REVIEWS_URL')", _in_php, "//", "/** "),
    _Language("Python", "python", 'os.environ["REVIEWS_URL"]', json.dumps, "#", "def "),
    _Language("Node.js", "js", "process.env.REVIEWS_URL", json.dumps, "//", "/** "),
)


@lru_cache(maxsize=256)
def programs(base_url: str, site_id: SiteId, shop_name: str) -> Sequence[Program]:
    """Return the programs of the guide for this service and this shop, whatever the shop is called."""
    guide = (files(__package__) / "guide.md").read_text(encoding="utf-8")
    whose = f"Reports orders of {_quoted(shop_name)}, {site_id}."
    return [Program(each.heading, _text(guide, each, base_url, whose)) for each in _LANGUAGES]


def key_setting(key: str) -> str:
    """Return the line that gives the programs an API key."""
    return f"export {_KEY}={key}"


def _quoted(name: str) -> str:
    """Return a name for a comment of any of the languages: on one line, in quotes, and without what ends either.

    Interactive zsh takes a pasted comment for a command, and only quotes keep it from expanding `$(...)`. `?>` ends a
    PHP script even in a comment.
    """
    plain = "".join(" " if unicodedata.category(each) in _INVISIBLE else each for each in name)
    words = " ".join(plain.split()).replace("'", "’").replace("?>", "? >")
    return f"'{words}'"


def _text(guide: str, language: _Language, base_url: str, whose: str) -> str:
    part = re.split(rf"^### {re.escape(language.heading)}$", guide, flags=re.MULTILINE)[1]
    (text,) = re.findall(rf"^```{language.block}\n(.*?)^```$", part.partition("\n##")[0], re.DOTALL | re.MULTILINE)
    before, first, after = str(text).replace(language.address, language.literal(base_url)).partition(language.first)
    return f"{before}{language.comment} {whose}\n{first}{after}"
