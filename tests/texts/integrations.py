"""What the section of integrations says; what people and programs write is in capitals, or a program."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from reviewinvite_core.values import BadgeLook, Size, SnippetMode, Theme
from reviewinvite_http.dashboard.integrations import handlers, page

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
_KEYS = [
    SimpleNamespace(key_id="1", label="LABEL", last_four="ABCD", created_at=NOON, revoked_at=None),
    SimpleNamespace(key_id="2", label="", last_four="EFGH", created_at=NOON, revoked_at=NOON),
]


def _domain(host: str, *, vouched: bool = False) -> SimpleNamespace:
    values = {"record_name": "RECORD", "proof": "PROOF", "well_known_url": "WHERE"}
    return SimpleNamespace(host=SimpleNamespace(text=host, shown=host), vouched=vouched, verified=vouched, **values)


_EMBED = SimpleNamespace(tag="TAG", tag_policy="POLICY", policy="POLICY")
INTEGRATIONS: dict[str, Any] = {
    "done": "DONE",
    "done_in": "keys",
    "keys": _KEYS,
    "is_recent": True,
    "may_make_key": True,
    "label": "LABEL",
    "label_error": "",
    "idempotency_key": "ONCE",
    "domains": [(_domain("HOST"), "warn", "STATUS"), (_domain("VOUCHED", vouched=True), "ok", "STATUS")],
    "host": "HOST",
    "host_error": "",
    "checked": SimpleNamespace(host="HOST", is_proved=False, is_taken=False),
    "check_says": ["FOUND"],
    "is_verified": False,
    "delay_days": "5",
    "snippet": _EMBED,
    "snippet_mode": SnippetMode.OPEN,
    "snippet_modes": dict.fromkeys(SnippetMode, "MODE"),
    "snippet_error": "",
    "snippet_label": "SNIPPET",
    "snippet_version": "1",
    "has_secret": True,
    "wrong_signatures": 2,
    "programs": [SimpleNamespace(name="PROGRAM", text="TEXT")],
    "embed": _EMBED,
    "badge": BadgeLook(),
    "version": "1",
    "conflict": True,
    "stored_badge": BadgeLook(),
    "previews": [("light", "Q"), ("dark", "Q")],
    "themes": dict.fromkeys(Theme, "THEME"),
    "badge_errors": {},
    "sizes": dict.fromkeys(Size, "SIZE"),
}
_REMOVED = {"domain": _domain("HOST"), "is_recent": True, "may_make_key": True}

PAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "integrations": ("integrations/page.html", INTEGRATIONS),
    "integrations, automatic": ("integrations/page.html", {**INTEGRATIONS, "badge": BadgeLook(theme=Theme.AUTO)}),
    "integrations, not recent": ("integrations/page.html", {**INTEGRATIONS, "is_recent": False, "may_make_key": False}),
    "integrations, no secret": (
        "integrations/page.html",
        {**INTEGRATIONS, "has_secret": False, "wrong_signatures": 1, "done_in": "snippet"},
    ),
    "integrations, secret": (
        "integrations/snippet_secret.html",
        {"secret": SimpleNamespace(text="KEY", is_replacing=True), "site_id": "SITE", "tag": "TAG", "version": "1"},
    ),
    "integrations, new key": ("integrations/key.html", {"made": _KEYS[0], "key": "KEY", "setting": "SETTING"}),
    "integrations, key exists": ("integrations/key_exists.html", {"key": _KEYS[0]}),
    "integrations, revoke": ("integrations/revoke.html", {"key": _KEYS[0], "is_recent": True, "may_make_key": True}),
    "integrations, revoke, not recent": ("integrations/revoke.html", {"key": _KEYS[0], "is_recent": False}),
    "integrations, remove": ("integrations/remove.html", _REMOVED),
    "integrations, remove, not recent": ("integrations/remove.html", {**_REMOVED, "is_recent": False}),
}
SAID = (*handlers.SENTENCES, *page.SENTENCES, "Preview of the badge")
WRITTEN = {
    *("LABEL", "ABCD", "EFGH", "HOST", "VOUCHED", "RECORD", "PROOF", "WHERE", "STATUS", "FOUND", "TAG", "POLICY"),
    *(
        "PROGRAM",
        "TEXT",
        "THEME",
        "SIZE",
        "MODE",
        "SNIPPET",
        "v1",
        "SITE",
        "CUSTOMER_EMAIL",
        "ORDER_NUMBER",
        "KEY",
        "SETTING",
        "DONE",
        "rvi_…",
    ),
}
