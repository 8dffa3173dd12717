"""What tests read in the pages that the server sends, and how they send a form."""

from __future__ import annotations

from html.parser import HTMLParser

FORM = "application/x-www-form-urlencoded"


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(body.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, name: str) -> list[dict[str, str | None]]:
        """Return the attributes of each tag of this name."""
        return [attributes for tag, attributes in self.tags if tag == name]
