"""Render notices: text and HTML, in every language that has a catalogue. Spec: §6, ADR-57.

They come from the service itself, answer to nobody, and have no header to unsubscribe: nobody opts out of knowing who
signed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import attrs

from reviewinvite_core.adapters.mail.headers import (
    AUTO_SUBMITTED,
    cleaned,
    content_of,
    date_text,
    display_name,
    header,
    isolated,
    plain_address,
    subject_header,
    web_link,
)
from reviewinvite_core.adapters.mail.message_pattern import quoted_printable
from reviewinvite_core.adapters.mail.wording import Wording, wording_of
from reviewinvite_core.domain.email_address import SenderAddress
from reviewinvite_core.ports import Message, NoticeLetter, NotRenderable
from reviewinvite_core.texts.catalogue import texts_in
from reviewinvite_core.texts.templates import templates_in

_LINKS = frozenset({"link", "sessions_link"})


class NoticeTemplateRenderer:
    """Renders the templates in `adapters/mail/templates/message`, in the service's name, from its own address.

    A text that a person made, such as a label, can neither end a line nor keep a message from being sent: control
    characters become blanks. Implements `ports.NoticeRenderer`.
    """

    def __init__(self, sender: str, operator_name: str | None = None) -> None:
        """Send from the address `sender`, in the name of `operator_name`, or else of the link's host."""
        self._sender = SenderAddress.parse(sender)
        self._operator_name = operator_name

    def render(self, letter: NoticeLetter) -> Message:
        try:
            return self._rendered(letter)
        except (KeyError, ValueError) as error:
            raise NotRenderable(str(error)) from error

    def _rendered(self, letter: NoticeLetter) -> Message:
        values = {name: value if name in _LINKS else cleaned(value) for name, value in letter.values.items()}
        host = urlsplit(web_link(values["sessions_link" if "sessions_link" in values else "link"])).hostname or ""
        service = self._operator_name or host
        texts = texts_in(letter.language)
        shown = {name: value if name in _LINKS else isolated(value) for name, value in values.items()}
        wording = wording_of(letter.kind, texts, shown, isolated(service))
        message_id = f"<{letter.message_id}@{self._sender.domain}>"
        recipient = plain_address(letter.recipient)
        head = (
            header("From", f"{display_name(service)} <{self._sender.text}>"),
            header("To", recipient),
            subject_header(wording.subject),
            header("Date", date_text(letter.written_at)),
            header("Message-ID", message_id),
            AUTO_SUBMITTED,
        )
        content = content_of(head, letter.message_id, *_bodies(letter, wording, service))
        return Message(message_id=message_id, sender=self._sender.text, recipient=recipient, content=content)


def _bodies(letter: NoticeLetter, wording: Wording, service: str) -> Sequence[bytes]:
    """Return the encoded text and HTML."""
    templates = templates_in(letter.language, "reviewinvite_core", "adapters/mail/templates")
    values = {**attrs.asdict(wording), "service": service}
    return [
        quoted_printable(templates.get_template(f"message/{part}").render(values)) for part in ("body.txt", "body.html")
    ]
