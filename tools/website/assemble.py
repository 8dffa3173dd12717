"""Copy the pages into a folder that Sphinx can build, with links that lead somewhere on the site."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROJECT_PAGES = ("README.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md", "CHANGELOG.md")
COPIED = (".md", ".svg", ".png", ".json", ".css")
FEATURES = "features"
LISTED = ("adr", "how-to", "tutorial")
LISTINGS = ("adr/README.md", "how-to/README.md")  # the other pages of the folder come below this one

PICTURES = (
    *(f"{page}-{scheme}" for page in ("e-mail", "review-page", "public-page") for scheme in ("light", "dark")),
    "badges",
)
"""What `pictures.samples` takes. A page shows one by a comment: `<!-- picture: badges The badge in three sizes -->`."""

_PICTURE = re.compile(r"^<!-- picture: (\S+) (.+) -->$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")


def assemble(target: Path) -> None:
    """Write every page of docs/ and of the project's root below `target`, which is made new."""
    shutil.rmtree(target, ignore_errors=True)
    for file in sorted(DOCS.rglob("*")):
        if file.suffix in COPIED or file.name == "conf.py":
            _copy(file, target / file.relative_to(DOCS), target)
    for name in PROJECT_PAGES:
        _copy(ROOT / name, target / "project" / name, target)
    index = target / "index.md"
    written = index.read_text(encoding="utf-8")
    if rest := unlisted(written, [page.relative_to(DOCS) for page in sorted(DOCS.rglob("*.md"))]):
        index.write_text("\n".join([written, "```{toctree}", ":caption: More", ":hidden:", *rest, "```\n"]), "utf-8")
    for listing in LISTINGS:
        with (target / listing).open("a", encoding="utf-8") as page:
            page.write("\n```{toctree}\n:hidden:\n:glob:\n[!R]*\n```\n")


def unlisted(index: str, pages: Iterable[Path]) -> list[str]:
    """Return the pages that the index does not name, and that no list of a folder has: they are shown all the same."""
    named = {*index.splitlines(), "index"}
    return [
        name
        for name, folder in ((page.with_suffix("").as_posix(), page.parent.as_posix()) for page in pages)
        if name not in named and folder not in LISTED
    ]


def _copy(file: Path, to: Path, target: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".md":
        text = relinked(file.read_text(encoding="utf-8"), file, to, target)
        to.write_text(with_pictures(text, to, target), encoding="utf-8")
    else:
        shutil.copyfile(file, to)


def relinked(text: str, file: Path, to: Path, target: Path) -> str:
    """Return a page's text with its links as they are on the site; a link to a file of the code becomes its label."""

    def rewrite(found: re.Match[str]) -> str:
        label, link, anchor = found.group(1), found.group(2), found.group(3) or ""
        place = place_of((file.parent / link).resolve(), target)
        if place is None:
            return label
        return f"[{label}]({_relative(place, to.parent)}{anchor})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _LINK.sub(rewrite, part) for part in parts)


def with_pictures(text: str, to: Path, target: Path) -> str:
    """Return a page's text with the pictures that its comments name: they are taken while the site is built."""

    def show(found: re.Match[str]) -> str:
        name, caption = found.groups()
        if name not in PICTURES:
            message = f"{to.name}: no picture is called {name}; there are {', '.join(PICTURES)}"
            raise ValueError(message)
        return f"![{caption}]({_relative(target / 'pictures' / f'{name}.png', to.parent)})"

    return _PICTURE.sub(show, text)


def place_of(linked: Path, target: Path) -> Path | None:
    """Return where the site has this file of the project, or None if it has not."""
    if linked == ROOT / FEATURES:
        return target / "features" / "index.md"
    if linked.parent == ROOT and linked.name in PROJECT_PAGES:
        return target / "project" / linked.name
    if linked == DOCS:
        return target / "index.md"
    if linked.is_relative_to(DOCS) and linked.suffix in COPIED:
        return target / linked.relative_to(DOCS)
    return None


def _relative(place: Path, folder: Path) -> str:
    up = ""
    while not place.is_relative_to(folder):
        folder, up = folder.parent, f"{up}../"
    return f"{up}{place.relative_to(folder).as_posix()}"
