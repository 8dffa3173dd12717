"""Show the e-mails as they are seen: `python docs/preview_e_mails.py FOLDER`, then open FOLDER/index.html.

Each is shown in a narrow and a wide window, light and dark; `extreme` is as long and as odd as a shop may make it.
"""

from __future__ import annotations

import argparse
import email
from collections.abc import Iterator
from datetime import UTC, datetime
from email import policy
from pathlib import Path

import attrs

from reviewinvite_core import Language
from reviewinvite_core.adapters.mail.render import TemplateRenderer
from reviewinvite_core.adapters.mail.render_notice import NoticeTemplateRenderer
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.ports import Letter, Message, NoticeLetter

ORDINARY = Letter(
    invite_id="019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
    recipient="customer@example.com",
    reply_to="vragen@example.com",
    shop_name="Bakkerij De Molen",
    order_number="2026-0193",
    language="nl",
    review_url="https://reviews.example.com/r/AAAAAQGcrdTLyHPBnl8KlMJ9O4ZcmVhbGx5LXNlY3JldC1tYWM",
    unsubscribe_url="https://reviews.example.com/u/AAAAAQGcrdTLyHPBnl8KlMJ9O4ZhbHNvIHNlY3JldCBtYWM",
    written_at=datetime(2026, 3, 7, 9, 15, 30, tzinfo=UTC),
)
SAMPLES = {
    "nl": ORDINARY,
    "en": attrs.evolve(ORDINARY, language="en"),
    "plain": attrs.evolve(ORDINARY, language="en", order_number=None, reply_to=None),
    "extreme": attrs.evolve(ORDINARY, shop_name=("Donaudampfschifffahrt" * 15)[:300], order_number="W" * 128),
    "other_scripts": attrs.evolve(
        ORDINARY, language="en", shop_name="مخبز الطاحونة 🥐 <b>寿司</b> & Söhne", order_number="٣٤-🎁-1001"
    ),
}
SHOP = {
    "shop": "Bakkerij De Molen",
    "by": "anna@example.com",
    "when": "2026-03-07T09:15:30+00:00",
    "link": "https://reviews.example.com/dashboard/bakkerij",
}
VALUES = {
    NoticeKind.SIGN_IN_LINK: {"link": "https://reviews.example.com/dashboard/sign-in/c2VjcmV0", "minutes": "15"},
    NoticeKind.NEW_DEVICE: {
        "device": "Firefox, Linux",
        "when": "2026-03-07T09:15:30+00:00",
        "sessions_link": "https://reviews.example.com/dashboard/sessions",
    },
    NoticeKind.KEY_CREATED: {**SHOP, "label": "Webshop", "last_four": "VUCc"},
    NoticeKind.KEY_REVOKED: {**SHOP, "label": "Webshop", "last_four": "VUCc"},
    NoticeKind.MEMBER_ADDED: {**SHOP, "added": "piet@example.com", "role": "staff"},
    NoticeKind.MEMBER_REMOVED: {**SHOP, "member": "piet@example.com"},
    NoticeKind.ROLE_CHANGED: {**SHOP, "member": "piet@example.com", "role": "owner"},
    NoticeKind.REPLY_TO_CHANGED: {**SHOP, "by": ""},
}
FRAME = '<iframe src="{name}.html" title="{name}" style="width:{width}px; height:{height}px; color-scheme:{scheme}">'
STYLE = "body { background: #888; } iframe { border: 0; margin: 8px; vertical-align: top; }"


def messages() -> Iterator[tuple[str, Message]]:
    """Yield the name of each sample and the message: invitations, then what members get, in both languages."""
    invitations = TemplateRenderer("invitations@reviews.example.com")
    yield from ((name, invitations.render(letter)) for name, letter in SAMPLES.items())
    to_members = NoticeTemplateRenderer("invitations@reviews.example.com")
    for kind, values in VALUES.items():
        for language in Language:
            letter = NoticeLetter(
                message_id=ORDINARY.invite_id,
                kind=kind,
                recipient=ORDINARY.recipient,
                language=language,
                values=values,
                written_at=ORDINARY.written_at,
            )
            yield f"{kind}-{language}", to_members.render(letter)


def main(folder: Path) -> None:
    """Write a page for each sample, and one that shows them all."""
    folder.mkdir(parents=True, exist_ok=True)
    frames = []
    for name, rendered in messages():
        message = email.message_from_bytes(rendered.content, policy=policy.default)
        text, html = (part.get_content() for part in message.iter_parts())
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
        height = 1900 if name == "extreme" else 900
        for scheme in ("light", "dark"):
            frames += [
                FRAME.format(name=name, width=width, height=height, scheme=scheme) + "</iframe>" for width in (360, 800)
            ]
        frames.append("<br>")
    (folder / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>{"".join(frames)}', encoding="utf-8"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pages go; made if it is not there")
    main(parser.parse_args().folder)
