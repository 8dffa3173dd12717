"""Render letters as messages: text and HTML, in every language that has a catalogue. Spec: §6, ADR-37.

Every line of a message is generated here, in ASCII. Text from merchants or customers never reaches a header unencoded,
and bodies are quoted-printable: no text can end a line, a header, a part or the message.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b64encode
from binascii import b2a_qp
from collections.abc import Iterator
from email.utils import format_datetime, quote
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from reviewinvite_core.domain.email_address import EmailAddress, SenderAddress
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.language import Language
from reviewinvite_core.ports import Letter, Message, NotRenderable
from reviewinvite_core.texts import templates_in

if TYPE_CHECKING:
    from jinja2 import Environment

_WEB_LINK = re.compile(r"https?://[\w.~:/?@!$&'()*+,;=%\[\]-]+", re.ASCII)
_HEADER_LINE = re.compile(r"[ -~]{1,996}")  # RFC 5322: lines have at most 998 characters
_WORD_BYTES = 42  # an encoded word is at most 75 characters long
_PLAIN_LINE = 900

_NOT_IN_TEXT = {"Cc", "Cs"}  # control characters and lone surrogates
_LEFT_TO_RIGHT = {"L", "EN", "ES", "ET", "CS", "NSM", "BN", "B", "S", "WS", "ON"}  # or without a direction
_ISOLATES, _END_OF_ISOLATE = {"\u2066", "\u2067", "\u2068"}, "\u2069"


class TemplateRenderer:
    """Renders the templates in `adapters/mail/templates`, in the shop's name, from the service's own address.

    A letter always yields the same message, byte for byte. Implements `ports.Renderer`.
    """

    def __init__(self, sender: str) -> None:
        """Send from the address `sender`, whose domain the message ids use."""
        self._sender = SenderAddress.parse(sender)

    def render(self, letter: Letter) -> Message:
        from jinja2 import TemplateError

        templates = _templates(letter.language)
        message_id = f"<{letter.invite_id}@{self._sender.domain}>"
        boundary = f"=_{letter.invite_id}"  # quoted-printable never contains =_
        try:
            recipient = _address(letter.recipient)
            subject, text, html = _parts(templates, letter)
            headers = (
                ("From", f"{_display_name(letter.shop_name)} <{self._sender.text}>"),
                *([("Reply-To", _address(letter.reply_to))] if letter.reply_to else []),
                ("To", recipient),
                ("Subject", _unstructured(subject)),
                ("Date", format_datetime(letter.written_at)),
                ("Message-ID", message_id),
                ("Auto-Submitted", "auto-generated"),
                *_unsubscribing(letter.unsubscribe_url),
                ("MIME-Version", "1.0"),
                ("Content-Type", f'multipart/alternative; boundary="{boundary}"'),
            )
            head = "".join(_header(name, value) for name, value in headers)
            body = f"{_part(boundary, 'plain', text)}{_part(boundary, 'html', html)}--{boundary}--\r\n"
            content = f"{head}\r\n{body}".encode("ascii")
        except (TemplateError, ValueError) as error:
            raise NotRenderable(str(error)) from error
        return Message(message_id=message_id, sender=self._sender.text, recipient=recipient, content=content)


def _templates(language: str) -> Environment:
    """Return the templates in this language. Missing templates crash: they are not the letter's fault."""
    try:
        spoken = Language(language)
    except ValueError as error:
        raise NotRenderable(str(error)) from error
    return templates_in(spoken, "reviewinvite_core", "adapters/mail/templates")


def _parts(templates: Environment, letter: Letter) -> Iterator[str]:
    """Yield the subject, the text and the HTML."""
    if not all(map(_is_text, (letter.shop_name, letter.order_number or ""))):
        message = "a name or an order number holds control characters"
        raise ValueError(message)
    service = urlsplit(letter.review_url).hostname
    shop, order_number = _isolated(letter.shop_name), _isolated(letter.order_number or "")
    for part in ("subject.txt", "body.txt", "body.html"):
        template = templates.get_template(f"invitation/{part}")
        yield template.render(letter=letter, service=service, shop=shop, order_number=order_number)


def _unsubscribing(url: str) -> Iterator[tuple[str, str]]:
    """Yield the headers that let a mail program offer to unsubscribe. RFC 2369, RFC 8058.

    RFC 8058 allows the one-click header for `https` only; the plain link is also given for `http`, as in trials.
    """
    if not _WEB_LINK.fullmatch(url):
        message = "the unsubscribe link is not a URL"
        raise ValueError(message)
    yield "List-Unsubscribe", f"<{url}>"
    if url.startswith("https://"):
        yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"


def _header(name: str, value: str) -> str:
    """Return the complete header line; the value must already be encoded."""
    header = f"{name}: {value}"
    if not all(_HEADER_LINE.fullmatch(line) for line in header.split("\r\n ")):
        message = f"{name} cannot be written"
        raise ValueError(message)
    return f"{header}\r\n"


def _part(boundary: str, subtype: str, text: str) -> str:
    """Return one part of the body, beginning with its boundary."""
    encoded = b2a_qp(text.replace("\n", "\r\n").encode(), istext=True).decode("ascii")
    return (
        f"--{boundary}\r\n"
        f'Content-Type: text/{subtype}; charset="utf-8"\r\n'
        "Content-Transfer-Encoding: quoted-printable\r\n"
        f"\r\n{encoded}\r\n"
    )


def _address(text: str) -> str:
    """Return `text`, which must be a plain address; any other could be parsed as two, or as another header."""
    try:
        return EmailAddress.parse(text).text
    except Invalid:
        raise ValueError("not a valid e-mail address") from None


def _unstructured(text: str) -> str:
    """Return `text` as the value of an unstructured header, in encoded words unless it is safe as it is."""
    return text if _is_plain(text) else _encoded(text)


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
