"""All that messages say that are no invitations, for `every_text`."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator, Mapping

from tests.messages import VALUES

from reviewinvite_core import Language
from reviewinvite_core.adapters.mail.render_notice import NoticeTemplateRenderer
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.ports import NoticeLetter
from reviewinvite_core.testing.builders import NOON

_LINK = "https://REVIEWS.EXAMPLE/R/TOKEN"
_IN_ANY_LANGUAGE = {"link": _LINK, "sessions_link": _LINK, "when": "NOON"}


def message_texts(language: Language) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each part of each message, in all its forms."""
    renderer = NoticeTemplateRenderer("invitations@reviews.example")
    for name, kind, values in _messages():
        letter = NoticeLetter(
            message_id="019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
            kind=kind,
            recipient="member@example.com",
            language=language,
            values=values,
            written_at=NOON,
        )
        message = email.message_from_bytes(renderer.render(letter).content, policy=email.policy.default)
        yield f"{name}, subject", message["Subject"]
        for part in message.iter_parts():
            yield f"{name}, {part.get_content_type()}", part.get_content()


def _messages() -> Iterator[tuple[str, NoticeKind, Mapping[str, str]]]:
    for kind in NoticeKind:
        values = {name: _IN_ANY_LANGUAGE.get(name, name.upper()) for name in VALUES[kind]}
        forms: list[dict[str, str]] = [{}]
        if kind is NoticeKind.SIGN_IN_LINK:
            forms = [
                {"minutes": "1"},
                {"minutes": "15"},
                {"hours": "1", "shop": "SHOP"},
                {"hours": "72", "shop": "SHOP"},
            ]
        elif kind is NoticeKind.MEMBER_ADDED:
            forms = [{"role": role} for role in ("owner", "staff")] + [{"by": ""}]
        elif kind is NoticeKind.MEMBER_REMOVED:
            forms = [{}, {"you": "yes"}]
        elif kind is NoticeKind.ROLE_CHANGED:
            forms = [{"role": role, **you} for role in ("owner", "staff") for you in ({}, {"you": "yes"})]
        for form in forms:
            yield " ".join([kind, *form.values()]), kind, {**values, **form}
