"""Check a built site: each link inside it leads to a page and an anchor, and nothing is loaded from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
NOT_LOADED = {"canonical", "next", "prev", "search", "index", "author"}  # what a <link> names, and no browser fetches

_CSS_URL = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])((?:https?:)?//[^'")\s]+)""")


class Page(HTMLParser):
    """What a page links to, loads, and can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        loaded = values.get(LOADING.get(tag, ""))
        if loaded and not (tag == "link" and set(values.get("rel", "").split()) & NOT_LOADED):
            self.loads.append(loaded)


def faults_of(site: Path) -> Iterator[str]:
    """Yield each link or load that is wrong, with the page on which it stands."""
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    for file, page in pages.items():
        name = file.relative_to(site)
        for link in page.links + page.loads:
            yield from (f"{name}: {fault}" for fault in _faults_of(link, file, pages))
        yield from (f"{name}: loads {load}" for load in page.loads if urlsplit(load).netloc)
    for file in sorted(site.rglob("*.css")):
        found = _CSS_URL.findall(file.read_text(encoding="utf-8"))
        yield from (f"{file.relative_to(site)}: loads {load}" for load in found)


def count_of(site: Path) -> int:
    """Return how many links inside the site `faults_of` follows."""
    pages = (Page(file.read_text(encoding="utf-8")) for file in site.rglob("*.html"))
    return sum(not urlsplit(link).scheme for page in pages for link in page.links + page.loads)


def _faults_of(link: str, file: Path, pages: Mapping[Path, Page]) -> Iterator[str]:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        yield f"{link}: no such file"
    elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
        yield f"{link}: no such anchor"
