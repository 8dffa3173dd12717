"""Check the wording of code and documentation: `python -m tools.prose`.

It reports phrases that need a second reading, and docstrings of functions that do not begin with a verb. ruff checks
the form of docstrings. Paths in `EXEMPT` are not checked yet; an exemption that is no longer needed is reported, too.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

PLACES = (
    *("src", "tests", "features", "benchmarks", "tools", "docs", "examples"),
    *("README.md", "CONTRIBUTING.md", "RELEASING.md", "CHANGELOG.md", "SECURITY.md", "noxfile.py"),
)
SUFFIXES = frozenset({".py", ".md", ".feature", ".po", ".pot", ".html", ".txt", ".js"})
KEPT = ("docs/adr/", "tests/data/", "tools/prose.py")
"""Accepted records and the data of earlier releases never change; this file lists the phrases."""

EXEMPT: tuple[str, ...] = ()

PHRASES = (
    "so many",
    "anew",
    "None where",
    "Nothing, where",
    "has to itself",
    "have to itself",
    "have to themselves",
    "a wish to",
    "as it was left",
    "is told",
    "are told",
    "who asks",
    "what is no",
    "that is none",
    "first first",
)
_GAP = r"[\s\"'#*>|]+"  # a phrase may go on in the next line of a comment, a string or a quotation
_PHRASE = re.compile("|".join(rf"\b{_GAP.join(phrase.split())}\b" for phrase in PHRASES), re.IGNORECASE)

_NOT_VERBS = frozenset(
    [
        *("a", "all", "an", "any", "as", "at", "both", "each", "every", "for", "from", "how"),
        *("if", "in", "it", "its", "no", "none", "nothing", "of", "on", "one", "only", "same"),
        *("so", "such", "that", "the", "their", "these", "this", "those", "to", "what", "when", "where"),
        *("whether", "which", "who", "whose", "why", "with"),
    ]
)


def checked_files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the files to check, in order."""
    for place in PLACES:
        path = root / place
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (
            file
            for file in files
            if file.suffix in SUFFIXES and file.is_file() and not _relative(file, root).startswith(KEPT)
        )


def faults_in(text: str, *, is_source: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of each fault in a text; `is_source` checks the docstrings of Python source."""
    for found in _PHRASE.finditer(text):
        # `None` is a value of Python: "if that is None" is plain.
        if not found[0].endswith("None"):
            yield text.count("\n", 0, found.start()) + 1, " ".join(re.split(_GAP, found[0]))
    if is_source:
        yield from _without_verb(ast.parse(text))


def faults(root: Path = ROOT, exempt: tuple[str, ...] = EXEMPT) -> Iterator[str]:
    """Yield all faults as `file:line: words`, and the exemptions that are no longer needed."""
    needed = set()
    for file in checked_files(root):
        name = _relative(file, root)
        is_source = file.suffix == ".py" and name.startswith("src/")
        for line, words in sorted(faults_in(file.read_text(encoding="utf-8"), is_source=is_source)):
            reasons = [place for place in exempt if name.startswith(place)]
            needed.update(reasons)
            if not reasons:
                yield f"{name}:{line}: {words}"
    yield from (f"tools/prose.py: {place} needs no exemption" for place in exempt if place not in needed)


def _without_verb(module: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_property(node):
            docstring = ast.get_docstring(node) or ""
            first = docstring.partition(" ")[0]
            if first.lower() in _NOT_VERBS:
                yield node.body[0].lineno, f'the docstring of {node.name} begins with "{first}", not with a verb'


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def _relative(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix()


def main() -> int:
    """Print all faults; return 1 if there are any."""
    found = list(faults())
    sys.stderr.writelines(f"{each}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
