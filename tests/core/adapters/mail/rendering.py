"""A letter, and messages rendered from it."""

from __future__ import annotations

import email
import email.header
import email.utils
from datetime import UTC, datetime
from typing import Any

import attrs

from reviewinvite_core.adapters.mail.render import TemplateRenderer
from reviewinvite_core.ports import Letter, Message

SENDER = "invitations@mail.example.com"
RENDERER = TemplateRenderer(SENDER)
REVIEW_URL = "https://reviews.example.com/r/AAAAAQGcrdTLyHPBnl8KlMJ9O4ZcmVhbGx5LXNlY3JldC1tYWM"
UNSUBSCRIBE_URL = "https://reviews.example.com/u/AAAAAQGcrdTLyHPBnl8KlMJ9O4ZhbHNvLXNlY3JldC1tYWM"
LETTER = Letter(
    invite_id="019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
    recipient="anna@example.com",
    shop_name="Bakkerij De Molen",
    order_number="2026-0193",
    language="nl",
    review_url=REVIEW_URL,
    unsubscribe_url=UNSUBSCRIBE_URL,
    written_at=datetime(2026, 3, 7, 9, 15, 30, 120_000, tzinfo=UTC),
)
HEADERS = [
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Auto-Submitted",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Content-Type",
]


def rendered(**changes: Any) -> Message:
    """Return the message of the letter, with these fields changed."""
    return RENDERER.render(attrs.evolve(LETTER, **changes))


def display_name(message: Message) -> str:
    """Return the sender's name, read as RFC 5322 and RFC 2047 say."""
    raw = email.message_from_bytes(message.content)["From"].replace("\r\n", "")
    phrase, _, _ = raw.rpartition(" <")
    if phrase.startswith('"'):
        return email.utils.unquote(phrase)
    return str(email.header.make_header(email.header.decode_header(phrase)))
