"""Shops as rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

import attrs

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.rows import chunks, expand_values, flatten_params, instant_or_none
from reviewinvite_core.domain.badge import BadgeLook, Size, Theme
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.shop import NewShop, Shop, SiteId
from reviewinvite_core.domain.snippets import SnippetMode
from reviewinvite_core.domain.timing import Delay, to_microseconds
from reviewinvite_core.domain.trust_mark import TrustMark

FIELDS = (
    *("number", "site_id", "name", "language", "delay_ms", "active", "reply_to"),
    *("trust_mark", "badge_theme", "badge_size", "badge_language"),
    *("frequency_days", "requested_name", "badge_seen_at"),
    *("snippet", "snippet_secret", "snippet_secret_before", "snippet_signed_at"),
)
COLUMNS = ", ".join(f"shops.{field}" for field in FIELDS)

_ADD = """
INSERT INTO shops (number, site_id, name, language, delay_ms, active, reply_to, frequency_days)
SELECT COALESCE(MAX(number), 0) + 1, :site_id, :name, :language, :delay_ms, :active, :reply_to, :frequency_days
FROM shops WHERE true
ON CONFLICT (site_id) DO NOTHING
RETURNING number
"""
_BY_SITE_ID = f"SELECT {COLUMNS} FROM shops WHERE site_id = :site_id"
_NAMED = f"SELECT {COLUMNS} FROM shops WHERE site_id IN ({{rows}})"
_BY_NUMBER = f"SELECT {COLUMNS} FROM shops WHERE number = :number"
_BY_NUMBERS = f"SELECT {COLUMNS} FROM shops WHERE number IN ({{rows}})"
_EVERY = f"SELECT {COLUMNS} FROM shops"
_CHANGE = """
UPDATE shops SET name = :name, language = :language, delay_ms = :delay_ms, active = :active,
    reply_to = :reply_to, trust_mark = :trust_mark, badge_theme = :badge_theme, badge_size = :badge_size,
    badge_language = :badge_language, frequency_days = :frequency_days, requested_name = :requested_name,
    snippet = :snippet, snippet_secret = :snippet_secret, snippet_secret_before = :snippet_secret_before
WHERE number = :number
"""
_NOTE_BADGE_SEEN = "UPDATE shops SET badge_seen_at = :at WHERE number = :number AND badge_seen_at IS NULL"
_NOTE_SIGNED = "UPDATE shops SET snippet_signed_at = :at WHERE number = :number AND snippet_signed_at IS NULL"


@attrs.frozen
class SqlShops:
    """Implements `ports.Shops`."""

    _connection: Connection

    def add(self, shop: NewShop) -> Shop | None:
        row = self._connection.execute(_ADD, _parameters(shop.numbered(0))).fetchone()
        return shop.numbered(row[0]) if row else None

    def by_site_id(self, site_id: str) -> Shop | None:
        if not site_id.isprintable():  # no shop has such an id, and a query cannot contain NUL or a lone surrogate
            return None
        row = self._connection.execute(_BY_SITE_ID, {"site_id": site_id}).fetchone()
        return shop_from(row) if row else None

    def named(self, site_ids: Collection[str]) -> Mapping[str, Shop]:
        found = {}
        for portion in chunks([site_id for site_id in site_ids if site_id.isprintable()]):
            statement = expand_values(_NAMED, ":site_id_#", len(portion))
            asked = flatten_params([{"site_id": site_id} for site_id in portion])
            shops = [shop_from(row) for row in self._connection.execute(statement, asked).fetchall()]
            found.update({shop.site_id.text: shop for shop in shops})
        return found

    def by_number(self, number: int) -> Shop | None:
        row = self._connection.execute(_BY_NUMBER, {"number": number}).fetchone()
        return shop_from(row) if row else None

    def by_numbers(self, numbers: Collection[int]) -> Mapping[int, Shop]:
        found = {}
        for portion in chunks([{"number": number} for number in numbers]):
            statement = expand_values(_BY_NUMBERS, ":number_#", len(portion))
            rows = self._connection.execute(statement, flatten_params(portion)).fetchall()
            found.update({shop.number: shop for shop in map(shop_from, rows)})
        return found

    def every(self) -> Sequence[Shop]:
        shops = [shop_from(row) for row in self._connection.execute(_EVERY, {}).fetchall()]
        return sorted(shops, key=lambda shop: shop.site_id.text)  # databases order by their locale

    def change(self, shop: Shop) -> None:
        self._connection.execute(_CHANGE, _parameters(shop))

    def note_badges_seen(self, numbers: Collection[int], at: datetime) -> None:
        for number in sorted(numbers):
            self._connection.execute(_NOTE_BADGE_SEEN, {"number": number, "at": to_microseconds(at)})

    def note_snippets_signed(self, numbers: Collection[int], at: datetime) -> None:
        for number in sorted(numbers):
            self._connection.execute(_NOTE_SIGNED, {"number": number, "at": to_microseconds(at)})


@lru_cache(maxsize=4096)
def shop_from(row: tuple[Any, ...]) -> Shop:
    """Return the shop in a row of `COLUMNS`, cached by row, because every order loads its shop."""
    number, site_id, name, language, delay_ms, active, reply_to, trust_mark, *rest = row
    theme, size, badge_language, frequency_days, requested_name, seen_at, snippet, *secrets, signed_at = rest
    return Shop(
        number=number,
        site_id=SiteId(site_id),
        name=name,
        language=Language(language),
        delay_days=Delay(delay_ms),
        active=bool(active),
        reply_to=reply_to,
        trust_mark=TrustMark(trust_mark),
        badge=BadgeLook(
            theme=Theme(theme), size=Size(size), language=Language(badge_language) if badge_language else None
        ),
        frequency_days=frequency_days,
        requested_name=requested_name,
        badge_seen_at=instant_or_none(seen_at),
        snippet=SnippetMode(snippet),
        snippet_secrets=tuple(bytes(each) for each in secrets if each is not None),
        snippet_signed_at=instant_or_none(signed_at),
    )


def _parameters(shop: Shop) -> dict[str, object]:
    newest, before, *_ = *shop.snippet_secrets, None, None
    return {
        "number": shop.number,
        "site_id": shop.site_id.text,
        "name": shop.name,
        "language": shop.language.value,
        "delay_ms": shop.delay_days.milliseconds,
        "active": int(shop.active),
        "reply_to": shop.reply_to,
        "trust_mark": shop.trust_mark.value,
        "badge_theme": shop.badge.theme.value,
        "badge_size": shop.badge.size.value,
        "badge_language": shop.badge.language.value if shop.badge.language else None,
        "frequency_days": shop.frequency_days,
        "requested_name": shop.requested_name,
        "snippet": shop.snippet.value,
        "snippet_secret": newest,
        "snippet_secret_before": before,
    }
