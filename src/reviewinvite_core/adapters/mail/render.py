"""Render invitations: text and HTML, in every language that has a catalogue. Spec: §6, ADR-37.

Every line of a message is generated here, in ASCII. Text from merchants or customers never reaches a header unencoded,
and bodies are quoted-printable: no text can end a line, a header, a part or the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

from reviewinvite_core.adapters.mail.headers import (
    AUTO_SUBMITTED,
    checked_text,
    content_of,
    date_text,
    display_name,
    header,
    isolated,
    plain_address,
    subject_header,
    unsubscribe_headers,
    web_link,
)
from reviewinvite_core.adapters.mail.message_pattern import BodyPattern, may_hold_place, place, quoted_printable
from reviewinvite_core.domain.email_address import SenderAddress
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.ports import Letter, Message, NotRenderable
from reviewinvite_core.texts.templates import templates_in

if TYPE_CHECKING:
    from jinja2 import Environment

_MOST_PATTERNS = 512  # some 10 KiB each
# A link whose host needs no parser: a URL with anything odd in it is left to `urlsplit`.
_ORDINARY_LINK = re.compile(r"https?://([a-z0-9.-]+)(?::[0-9]+)?/[\w.~:/?@!$&'()*+,;=%\[\]-]*", re.ASCII)


@attrs.frozen
class _Kind:
    """What letters that share a pattern have in common: everything that shapes the message, except a few values."""

    shop_name: str
    language: str
    reply_to: str | None
    service: str
    numbered: bool

    @classmethod
    def of(cls, letter: Letter, operator_name: str | None) -> _Kind | None:
        """Return the kind of a letter, or None if it has to be rendered by itself."""
        link = _ORDINARY_LINK.fullmatch(letter.review_url)
        if link is None or may_hold_place(letter.shop_name + (operator_name or "")):
            return None
        service = operator_name or link[1]
        return cls(letter.shop_name, letter.language, letter.reply_to, service, bool(letter.order_number))


@attrs.frozen
class _Pattern:
    """The messages of one kind: the headers that are the same in all of them, and their bodies with places."""

    origin: str
    subject: str
    text: BodyPattern
    html: BodyPattern


class TemplateRenderer:
    """Renders the templates in `adapters/mail/templates`, in the shop's name, from the service's own address.

    A letter always yields the same message, byte for byte. The templates run once for all letters of a kind (see
    `message_pattern`). Implements `ports.Renderer`.
    """

    def __init__(self, sender: str, operator_name: str | None = None) -> None:
        """Send from the address `sender`, whose domain the message ids use.

        The text says that `operator_name` sends it, or else the link's host.
        """
        self._sender = SenderAddress.parse(sender)
        self._operator_name = operator_name
        self._pattern = lru_cache(_MOST_PATTERNS)(self._new_pattern)

    def render(self, letter: Letter) -> Message:
        kind = _Kind.of(letter, self._operator_name)
        if kind is None:
            return self.render_alone(letter)
        try:
            pattern = self._pattern(kind)
            values = {
                "number": isolated(checked_text(letter.order_number or "")),
                "review_url": letter.review_url,
                "unsubscribe_url": web_link(letter.unsubscribe_url),
            }
            bodies = pattern.text.fill(values), pattern.html.fill(values)
            return self._message(letter, pattern.origin, pattern.subject, *bodies)
        except ValueError as error:
            raise NotRenderable(str(error)) from error

    def render_alone(self, letter: Letter) -> Message:
        """Render a letter without a pattern; the message is the one that `render` returns.

        Raises: `NotRenderable`.
        """
        try:
            origin = self._origin(letter.shop_name, letter.reply_to)
            subject, *bodies = _parts(letter, self._operator_name or urlsplit(letter.review_url).hostname or "")
            return self._message(letter, origin, subject_header(subject), *map(quoted_printable, bodies))
        except ValueError as error:
            raise NotRenderable(str(error)) from error

    def _new_pattern(self, kind: _Kind) -> _Pattern:
        from markupsafe import escape

        letter = Letter(
            invite_id="",
            recipient="",
            shop_name=kind.shop_name,
            order_number=place("number") if kind.numbered else None,
            reply_to=kind.reply_to,
            language=kind.language,
            review_url=place("review_url"),
            unsubscribe_url=place("unsubscribe_url"),
            written_at=EPOCH,
        )
        subject, text, html = _parts(letter, kind.service)
        return _Pattern(
            origin=self._origin(kind.shop_name, kind.reply_to),
            subject=subject_header(subject),
            text=BodyPattern.of(text, escape=str),
            html=BodyPattern.of(html, escape=escape),
        )

    def _origin(self, shop_name: str, reply_to: str | None) -> str:
        """Return the header lines that say who sends the message, and who gets the replies."""
        sender = header("From", f"{display_name(shop_name)} <{self._sender.text}>")
        return sender + header("Reply-To", plain_address(reply_to)) if reply_to else sender

    def _message(self, letter: Letter, origin: str, subject: str, text: bytes, html: bytes) -> Message:
        """Return the message with these header lines and these encoded bodies."""
        message_id = f"<{letter.invite_id}@{self._sender.domain}>"
        recipient = plain_address(letter.recipient)
        head = (
            origin,
            header("To", recipient),
            subject,
            header("Date", date_text(letter.written_at)),
            header("Message-ID", message_id),
            AUTO_SUBMITTED,
            *unsubscribe_headers(letter.unsubscribe_url),
        )
        content = content_of(head, letter.invite_id, text, html)
        return Message(message_id=message_id, sender=self._sender.text, recipient=recipient, content=content)


def _templates(language: str) -> Environment:
    """Return the templates in this language. Missing templates crash: they are not the letter's fault."""
    return templates_in(Language(language), "reviewinvite_core", "adapters/mail/templates")


def _parts(letter: Letter, service: str) -> Iterator[str]:
    """Yield the subject, the text and the HTML; `service` is the name of whoever sends the message."""
    from jinja2 import TemplateError

    templates = _templates(letter.language)
    shop, order_number = (isolated(checked_text(each)) for each in (letter.shop_name, letter.order_number or ""))
    for part in ("subject.txt", "body.txt", "body.html"):
        try:
            template = templates.get_template(f"invitation/{part}")
            yield template.render(letter=letter, service=isolated(service), shop=shop, order_number=order_number)
        except TemplateError as error:
            raise NotRenderable(str(error)) from error
