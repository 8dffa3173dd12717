"""Hold the pages to the rules for prose: `python -m tools.pages check`, or `fix`, which puts one sentence on a line.

A line has at most 120 characters, a sentence at most 30 words, a paragraph at most 120. Code, tables, headings and what
stands between comments are left alone; so are the bodies of decision records, and the sentences of the specification.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[1]
MOST_CHARACTERS, MOST_WORDS, MOST_WORDS_OF_A_PARAGRAPH = 120, 30, 120
ONLY_LINES = ("specification.md",)  # the contract: its sentences are not reworded for their length

_FENCE = re.compile(r"\s*(```|:::)")
_MARKER = re.compile(r"(\s*(?:[-*+]|\d+\.) )")
_LEFT_ALONE = re.compile(r"\s*(\||#{1,6} |<|\[[^\]]+\]: |---$)")
_ATOM = re.compile(r"""(?:`[^`]*`|!?\[(?:`[^`]*`|[^\]`])*\]\([^)]*\)|[^\s`\[]|\[)+""")
_END = re.compile(r"""[.!?]["')\]*_]*$""")
_ABBREVIATIONS = re.compile(r"""(?:^|[("])(?:e\.g|i\.e|etc|vs|cf|approx|No)\.$""")
_WORD = re.compile(r"\w")
_LINK = re.compile(r"\[((?:`[^`]*`|[^\]`])*)\]\([^)]*\)")


@attrs.frozen
class Block:
    """A paragraph or a list item: its lines, the number of the first, and what stands before its text."""

    line: int
    marker: str
    lines: Sequence[str]

    @property
    def words(self) -> list[str]:
        """The text cut at blanks, but not inside code and links."""
        return _ATOM.findall(" ".join(line.strip() for line in self.lines).removeprefix(self.marker.strip()))

    @property
    def sentences(self) -> list[list[str]]:
        """The words of each sentence."""
        found: list[list[str]] = [[]]
        words = self.words
        for word, following in zip(words, [*words[1:], ""], strict=True):
            found[-1].append(word)
            if following and _ends(word) and not following[0].islower():
                found.append([])
        return found


def _ends(word: str) -> bool:
    return bool(_END.search(word)) and not _ABBREVIATIONS.search(word) and not word.endswith("...")


def parts(text: str) -> Iterator[str | Block]:
    """Yield a page's blocks, and every other line unchanged."""
    inside, open_block = "", None
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if inside or fence or not line.strip() or _LEFT_ALONE.match(line):
            if open_block:
                yield open_block
            open_block = None
            if fence:
                inside = "" if inside == fence.group(1) else inside or fence.group(1)
            yield line
            continue
        marker = _MARKER.match(line)
        if marker or open_block is None:
            if open_block:
                yield open_block
            indent = marker.group(1) if marker else line[: len(line) - len(line.lstrip())]
            open_block = Block(number, indent, [line])
        else:
            open_block = attrs.evolve(open_block, lines=[*open_block.lines, line])
    if open_block:
        yield open_block


def fixed(text: str) -> str:
    """Return the page with each sentence on a line of its own; what is longer than a line is broken at a comma."""
    lines: list[str] = []
    for part in parts(text):
        if isinstance(part, str):
            lines.append(part)
            continue
        before, after = part.marker, " " * len(part.marker)
        for sentence in part.sentences:
            for line in _wrapped(sentence, MOST_CHARACTERS - len(after)):
                lines.append(before + line)
                before = after
    return "\n".join(lines) + "\n"


def _wrapped(words: Sequence[str], width: int) -> Iterator[str]:
    """Yield lines of at most this width, broken after a comma if there is one late enough."""
    rest = list(words)
    while len(" ".join(rest)) > width:
        fits = max((n for n in range(1, len(rest)) if len(" ".join(rest[:n])) <= width), default=1)
        commas = [n for n in range(fits, fits // 2, -1) if rest[n - 1][-1] in ",;:" and _may_begin(rest[n])]
        cut = next((n for n in [*commas, *range(fits, 0, -1)] if _may_begin(rest[n])), fits)
        yield " ".join(rest[:cut])
        rest = rest[cut:]
    yield " ".join(rest)


def _may_begin(word: str) -> bool:
    """Return whether Markdown takes a line that begins with this word as text."""
    return not re.match(r"[-+*>|#=]|\d+[.)]$", word)


def faults_of(page: Path) -> Iterator[str]:
    """Yield what is wrong with a page."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT)
    for block in (part for part in parts(text) if isinstance(part, Block)):
        for number, line in enumerate(block.lines, block.line):
            if len(line) > MOST_CHARACTERS and not _LINK.search(line):
                yield f"{name}:{number}: {len(line)} characters"
            marker = block.marker if number == block.line else ""
            if len(Block(number, marker, [line]).sentences) > 1:
                yield f"{name}:{number}: two sentences on a line"
        if page.name in ONLY_LINES:
            continue
        for sentence in block.sentences:
            if (count := count_of(sentence)) > MOST_WORDS:
                yield f"{name}:{block.line}: a sentence of {count} words: {' '.join(sentence)}"
        if (count := sum(count_of(sentence) for sentence in block.sentences)) > MOST_WORDS_OF_A_PARAGRAPH:
            yield f"{name}:{block.line}: a paragraph of {count} words"


def count_of(sentence: Sequence[str]) -> int:
    """Return how many words a reader reads: a link is its label, and code is one word."""
    text = _LINK.sub(r"\1", " ".join(sentence))
    return sum(bool(_WORD.search(word)) for word in re.sub(r"`[^`]*`", "`code`", text).split())


def pages() -> list[Path]:
    """Return the pages that the rules hold for."""
    docs = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "adr" or page.name == "README.md"]
    return sorted([*docs, *(ROOT / name for name in ("CONTRIBUTING.md", "README.md", "RELEASING.md", "SECURITY.md"))])


def main() -> int:
    """Return 1 if a page breaks a rule, or 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("act", choices=["check", "fix"])
    parser.add_argument("page", type=Path, nargs="*", help="all pages unless some are named")
    arguments = parser.parse_args()
    chosen = [page.resolve() for page in arguments.page] or pages()
    if arguments.act == "fix":
        for page in chosen:
            page.write_text(fixed(page.read_text(encoding="utf-8")), encoding="utf-8")
    faults = [fault for page in chosen for fault in faults_of(page)]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
