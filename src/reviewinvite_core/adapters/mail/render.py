"""Render letters as messages: text and HTML, in every language that has a catalogue. Spec: §6, ADR-37.

Every line of a message is generated here, in ASCII. Text from merchants or customers never reaches a header unencoded,
and bodies are quoted-printable: no text can end a line, a header, a part or the message.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime
from email.utils import format_datetime, quote
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

from reviewinvite_core.adapters.mail.message_pattern import BodyPattern, may_hold_place, place, quoted_printable
from reviewinvite_core.domain.email_address import EmailAddress, SenderAddress
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.ports import Letter, Message, NotRenderable
from reviewinvite_core.texts import templates_in

if TYPE_CHECKING:
    from jinja2 import Environment

_WEB_LINK = re.compile(r"https?://[\w.~:/?@!$&'()*+,;=%\[\]-]+", re.ASCII)
_LONGEST_HEADER_LINE = 996  # RFC 5322: lines have at most 998 characters
_HEADER_LINE = re.compile(rf"[ -~]{{1,{_LONGEST_HEADER_LINE}}}")
_WORD_BYTES = 42  # an encoded word is at most 75 characters long
_PLAIN_LINE = 900
_MOST_PATTERNS = 512  # some 10 KiB each
# A link whose host needs no parser: a URL with anything odd in it is left to `urlsplit`.
_ORDINARY_LINK = re.compile(r"https?://([a-z0-9.-]+)(?::[0-9]+)?/[\w.~:/?@!$&'()*+,;=%\[\]-]*", re.ASCII)

_NOT_IN_TEXT = {"Cc", "Cs"}  # control characters and lone surrogates
_LEFT_TO_RIGHT = {"L", "EN", "ES", "ET", "CS", "NSM", "BN", "B", "S", "WS", "ON"}  # or without a direction
_ISOLATES, _END_OF_ISOLATE = {"\u2066", "\u2067", "\u2068"}, "\u2069"


@attrs.frozen
class _Kind:
    """What letters that share a pattern have in common: everything that shapes the message, except a few values."""

    shop_name: str
    language: str
    reply_to: str | None
    service: str
    numbered: bool

    @classmethod
    def of(cls, letter: Letter) -> _Kind | None:
        """Return the kind of a letter, or None if it has to be rendered by itself."""
        link = _ORDINARY_LINK.fullmatch(letter.review_url)
        if link is None or may_hold_place(letter.shop_name):
            return None
        return cls(letter.shop_name, letter.language, letter.reply_to, link[1], bool(letter.order_number))


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

    def __init__(self, sender: str) -> None:
        """Send from the address `sender`, whose domain the message ids use."""
        self._sender = SenderAddress.parse(sender)
        self._pattern = lru_cache(_MOST_PATTERNS)(self._new_pattern)

    def render(self, letter: Letter) -> Message:
        kind = _Kind.of(letter)
        if kind is None:
            return self.render_alone(letter)
        try:
            pattern = self._pattern(kind)
            values = {
                "number": _isolated(_checked(letter.order_number or "")),
                "review_url": letter.review_url,
                "unsubscribe_url": _web_link(letter.unsubscribe_url),
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
            subject, *bodies = _parts(letter, urlsplit(letter.review_url).hostname)
            return self._message(letter, origin, _subject(subject), *map(quoted_printable, bodies))
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
            subject=_subject(subject),
            text=BodyPattern.of(text, escape=str),
            html=BodyPattern.of(html, escape=escape),
        )

    def _origin(self, shop_name: str, reply_to: str | None) -> str:
        """Return the header lines that say who sends the message, and who gets the replies."""
        sender = _header("From", f"{_display_name(shop_name)} <{self._sender.text}>")
        return sender + _header("Reply-To", _address(reply_to)) if reply_to else sender

    def _message(self, letter: Letter, origin: str, subject: str, text: bytes, html: bytes) -> Message:
        """Return the message with these header lines and these encoded bodies."""
        message_id = f"<{letter.invite_id}@{self._sender.domain}>"
        boundary = f"=_{letter.invite_id}"  # quoted-printable never contains =_
        recipient = _address(letter.recipient)
        head = (
            origin,
            _header("To", recipient),
            subject,
            _header("Date", _date(letter.written_at)),
            _header("Message-ID", message_id),
            "Auto-Submitted: auto-generated\r\n",
            *_unsubscribing(letter.unsubscribe_url),
            "MIME-Version: 1.0\r\n",
            _header("Content-Type", f'multipart/alternative; boundary="{boundary}"'),
            "\r\n",
        )
        content = (
            "".join(head).encode("ascii"),
            _part_head(boundary, "plain"),
            text,
            b"\r\n",
            _part_head(boundary, "html"),
            html,
            f"\r\n--{boundary}--\r\n".encode("ascii"),
        )
        return Message(message_id=message_id, sender=self._sender.text, recipient=recipient, content=b"".join(content))


def _templates(language: str) -> Environment:
    """Return the templates in this language. Missing templates crash: they are not the letter's fault."""
    return templates_in(Language(language), "reviewinvite_core", "adapters/mail/templates")


def _parts(letter: Letter, service: str | None) -> Iterator[str]:
    """Yield the subject, the text and the HTML; `service` is the host of the links."""
    from jinja2 import TemplateError

    templates = _templates(letter.language)
    shop, order_number = _isolated(_checked(letter.shop_name)), _isolated(_checked(letter.order_number or ""))
    for part in ("subject.txt", "body.txt", "body.html"):
        try:
            template = templates.get_template(f"invitation/{part}")
            yield template.render(letter=letter, service=service, shop=shop, order_number=order_number)
        except TemplateError as error:
            raise NotRenderable(str(error)) from error


def _checked(text: str) -> str:
    """Return a text unless it has control characters, such as line breaks, or lone surrogates."""
    if not _is_text(text):
        message = "a name or an order number holds control characters"
        raise ValueError(message)
    return text


def _web_link(url: str) -> str:
    """Return a URL unless a header cannot have it."""
    if not _WEB_LINK.fullmatch(url):
        message = "the unsubscribe link is not a URL"
        raise ValueError(message)
    return url


def _unsubscribing(url: str) -> Iterator[str]:
    """Yield the header lines that let a mail program offer to unsubscribe. RFC 2369, RFC 8058.

    RFC 8058 allows the one-click header for `https` only; the plain link is also given for `http`, as in trials.
    """
    yield _header("List-Unsubscribe", f"<{_web_link(url)}>")
    if url.startswith("https://"):
        yield "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"


@lru_cache(maxsize=64)
def _date(instant: datetime) -> str:
    """Return an instant as a header has it; letters that were claimed together share it."""
    return format_datetime(instant)


def _header(name: str, value: str) -> str:
    """Return the complete header line; the value must already be encoded."""
    header = f"{name}: {value}"
    if len(header) <= _LONGEST_HEADER_LINE and header.isascii() and header.isprintable():  # nearly all: one plain line
        return f"{header}\r\n"
    if not all(_HEADER_LINE.fullmatch(line) for line in header.split("\r\n ")):
        message = f"{name} cannot be written"
        raise ValueError(message)
    return f"{header}\r\n"


def _part_head(boundary: str, subtype: str) -> bytes:
    """Return what precedes the encoded text of one part, beginning with the boundary."""
    return (
        f"--{boundary}\r\n"
        f'Content-Type: text/{subtype}; charset="utf-8"\r\n'
        "Content-Transfer-Encoding: quoted-printable\r\n"
        "\r\n"
    ).encode("ascii")


def _address(text: str) -> str:
    """Return `text`, which must be a plain address; any other could be parsed as two, or as another header."""
    try:
        return EmailAddress.parse(text).text
    except Invalid:
        raise ValueError("not a valid e-mail address") from None


def _subject(text: str) -> str:
    """Return the header line of the subject, in encoded words unless the text is safe as it is."""
    return _header("Subject", text if _is_plain(text) else _encoded(text))


def _display_name(text: str) -> str:
    """Return `text` as the name before an address: a quoted string if that is safe, else encoded words."""
    return f'"{quote(text)}"' if _is_plain(text) else _encoded(text)


def _is_text(text: str) -> bool:
    if text.isascii():
        return text.isprintable()
    return all(unicodedata.category(character) not in _NOT_IN_TEXT for character in text)


def _is_plain(text: str) -> bool:
    return text.isascii() and "=?" not in text and len(text) < _PLAIN_LINE


def _encoded(text: str) -> str:
    """Return RFC 2047 encoded words, one per line, each of whole characters.

    The email package's own `Header` splits the text at every Unicode line separator, and loses it.
    """
    words, word = [], b""
    for character in text:
        encoded = character.encode()
        if len(word) + len(encoded) > _WORD_BYTES:
            words.append(word)
            word = b""
        word += encoded
    return "\r\n ".join(f"=?utf-8?b?{b64encode(word).decode('ascii')}?=" for word in [*words, word])


def _isolated(text: str) -> str:
    """Return `text` with marks that confine its direction, if it may differ from that of the sentence around it.

    Mail programs support these marks better than `<bdi>`, which a mark in the text could also end. Unicode UAX #9.
    """
    if text.isascii() or all(unicodedata.bidirectional(character) in _LEFT_TO_RIGHT for character in text):
        return text
    characters, depth = [], 0
    for character in text:
        depth += character in _ISOLATES
        if character != _END_OF_ISOLATE or depth:
            characters.append(character)
            depth -= character == _END_OF_ISOLATE
    return f"\u2068{''.join(characters)}{_END_OF_ISOLATE * (depth + 1)}"
