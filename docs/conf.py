"""How Sphinx builds the site: `nox -s docs`."""

from __future__ import annotations

import importlib.metadata
import re
from typing import Any

project = "reviewinvite"
release = importlib.metadata.version("reviewinvite")
copyright = "the authors of reviewinvite"  # noqa: A001 - Sphinx's name
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
exclude_patterns = ["conf.py"]
language = "en"

html_theme = "furo"
html_title = f"reviewinvite {release}"
html_static_path = ["assets"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_use_index = True

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

default_role = "literal"  # our docstrings write `names` as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False
suppress_warnings = ["ref.python"]  # two classes of one name: a signature shows the name, and links to one of them


_SECTION = re.compile(r"(Args|Arguments|Returns|Raises|Yields|Example|Examples|Note|Attributes):$")
_COLUMNS = re.compile(r"(?<=\S) {3,}(?=\S)")
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")


def as_restructured_text(_app: Any, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Turn a docstring into what Sphinx reads: lists, code, sections such as `Raises:`, and no stray markup."""
    lines[:] = re.sub(r"`[^`]*`", lambda found: re.sub(r"\n *", "\0", found[0]), "\n".join(lines)).split("\n")
    text: list[str] = []
    section = False
    code = ""  # how the block of code is indented that we are in
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        before = next((each for each in reversed(text) if each.strip()), "")
        item, after_item = _ITEM.match(line), _ITEM.match(before)
        if code and (not line or len(indent) >= len(code)):
            text.append(line)
            continue
        code = ""
        if _SECTION.match(line):
            section = True
            text += ["", f"**{line[:-1]}**", ""]
            continue
        section = section and (indent >= " " or not line)
        if section:  # of two lines, one that is indented more goes on with the one before
            text.append(f"- {_escaped(line.strip())}" if len(indent) == 4 else f"  {_escaped(line.strip())}")
            continue
        if line and len(indent) >= 4 and not before.startswith(" ") and not after_item:
            code = indent
            text += ["", "::", "", line]
            continue
        if _COLUMNS.search(line.strip()):  # two columns: a name, and what it is
            name, meaning = _COLUMNS.split(line.strip(), maxsplit=1)
            line, item = f"- `{name}`: {meaning}", _ITEM.match("- ")
        if text and text[-1].strip() and bool(item) != bool(after_item) and (item or not indent):
            text.append("")
        text.append(line if ">>>" in line else _escaped(line))
    lines[:] = [*(line.replace("\0", " ") for line in text), ""]


def _escaped(line: str) -> str:
    """Return a line whose asterisks, bars and underscores mean themselves; a code span is already marked."""
    item = _ITEM.match(line)
    begin = item.end() if item else 0
    parts = re.split(r"(`[^`]*`)", line[begin:])
    return line[:begin] + "".join(
        part if part.startswith("`") else re.sub(r"([*|]|_(?=\W|$))", r"\\\1", part) for part in parts
    )


def setup(app: Any) -> None:
    """Have autodoc call us for each docstring."""
    app.connect("autodoc-process-docstring", as_restructured_text)
