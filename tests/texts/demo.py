"""Everything that the demo's own pages say, in one language; what is not ours is in capitals."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from reviewinvite_core import Language
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.texts.templates import templates_in

DESK = SimpleNamespace(
    base_url="https://REVIEWS.EXAMPLE",
    shop_url="https://SHOP.EXAMPLE",
    site_id="SITE",
    review_url=lambda _: "https://REVIEWS.EXAMPLE/R/TOKEN",
)
MAIL = SimpleNamespace(name="MAIL", recipient="TO", sender="FROM", subject="SUBJECT", sent_at=NOON)
INBOX: dict[str, Any] = {
    "mails": [],
    "shown": None,
    "is_open": False,
    "awaited": None,
    "sandbox": "",
    "short_day": lambda _: "DAY",
}
SHOP: dict[str, Any] = {
    "desk": "https://REVIEWS.EXAMPLE/DEMO",
    "customer": "TO",
    "badge": "",
    "snippet": "SNIPPET",
    "inbox": "https://REVIEWS.EXAMPLE/INBOX",
    "number": "NUMBER",
    "email": "TO",
}
PAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "start": ("start", {"owner": "OWNER", "number": "NUMBER"}),
    "inbox": ("inbox", {**INBOX, "mails": [MAIL], "shown": MAIL}),
    "inbox, waiting": ("inbox", {**INBOX, "awaited": "NUMBER"}),
    "product": ("product", SHOP),
    "confirmation": ("confirmation", SHOP),
    "no such page": ("absent", {}),
    "no such page of the shop": ("shop_absent", SHOP),
}
WRITTEN = {"reviewinvite demo", "Bakkerij De Molen", "FROM", "TO", "SUBJECT", "DAY", "SNIPPET", "NUMBER", "OWNER"}


def demo_texts(language: Language) -> Iterator[tuple[str, str]]:
    """Yield each page in one language, with its name."""
    templates = templates_in(language, "reviewinvite_http", "demo", "pages")
    for name, (template, values) in PAGES.items():
        yield (
            f"demo, {name}",
            templates.get_template(f"{template}.html").render(here="/HERE", **{"desk": DESK, **values}),
        )
