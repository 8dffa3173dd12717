"""Messages as the use cases queue that cause them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

from reviewinvite_core import Application
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.notices import NewNotice, Notice, NoticeKind
from reviewinvite_core.usecases.notices import queue_notice
from reviewinvite_core.values import EmailAddress

DASHBOARD = "https://reviews.example.com/dashboard"
VALUES: Mapping[NoticeKind, Mapping[str, str]] = MappingProxyType(
    {
        NoticeKind.SIGN_IN_LINK: {"link": f"{DASHBOARD}/sign-in/c2lnbi1pbg", "minutes": "15"},
        NoticeKind.NEW_DEVICE: {
            "device": "Firefox, Linux",
            "when": "2026-03-02T12:00:00+00:00",
            "sessions_link": f"{DASHBOARD}/sessions",
        },
        NoticeKind.KEY_CREATED: {
            "shop": "Bakkerij De Molen",
            "label": "web shop",
            "last_four": "wxyz",
            "by": "anna@example.com",
            "when": "2026-03-02T12:00:00+00:00",
            "link": f"{DASHBOARD}/molen/integrations",
        },
        NoticeKind.KEY_REVOKED: {
            "shop": "Bakkerij De Molen",
            "label": "web shop",
            "last_four": "wxyz",
            "by": "anna@example.com",
            "when": "2026-03-02T12:00:00+00:00",
            "link": f"{DASHBOARD}/molen/integrations",
        },
        NoticeKind.MEMBER_REMOVED: {
            "shop": "Bakkerij De Molen",
            "member": "bert@example.com",
            "by": "anna@example.com",
            "when": "2026-03-02T12:00:00+00:00",
            "link": f"{DASHBOARD}/molen/members",
        },
        NoticeKind.ROLE_CHANGED: {
            "shop": "Bakkerij De Molen",
            "member": "bert@example.com",
            "role": "staff",
            "by": "anna@example.com",
            "when": "2026-03-02T12:00:00+00:00",
            "link": f"{DASHBOARD}/molen/members",
        },
        NoticeKind.MEMBER_ADDED: {
            "shop": "Bakkerij De Molen",
            "added": "bert@example.com",
            "role": "staff",
            "by": "anna@example.com",
            "when": "2026-03-02T12:00:00+00:00",
            "link": f"{DASHBOARD}/molen/members",
        },
        NoticeKind.REPLY_TO_CHANGED: {
            "shop": "Bakkerij De Molen",
            "by": "anna@example.com",
            "when": "2026-03-02T12:00:00+00:00",
            "link": f"{DASHBOARD}/molen/settings",
        },
    }
)


def a_new_message(
    kind: NoticeKind = NoticeKind.SIGN_IN_LINK,
    *,
    to: str = "member@example.com",
    language: Language = Language.NL,
    expires_at: datetime,
    **values: str,
) -> NewNotice:
    """Return a message of this kind, with plain values but for those given."""
    return NewNotice(
        kind=kind,
        recipient=EmailAddress.parse(to),
        language=language,
        values={**VALUES[kind], **values},
        expires_at=expires_at,
    )


def queue(
    app: Application,
    kind: NoticeKind = NoticeKind.SIGN_IN_LINK,
    *,
    to: str = "member@example.com",
    language: Language = Language.NL,
    expires_after: timedelta = timedelta(minutes=15),
    **values: str,
) -> Notice:
    """Queue a message of this kind, in a transaction of its own."""
    new = a_new_message(kind, to=to, language=language, expires_at=app.now() + expires_after, **values)
    return app._use_cases.run(queue_notice, new)
