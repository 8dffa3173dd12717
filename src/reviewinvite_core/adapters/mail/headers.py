"""Lines of a message's head, and texts as a message may hold them. Spec: §6, ADR-18.

Every line is generated here, in ASCII: text from merchants, customers or members never reaches a header unencoded.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Iterator
from datetime import datetime
from email.utils import format_datetime, quote
from functools import lru_cache

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import Invalid

_WEB_LINK = re.compile(r"https?://[\w.~:/?@!$&'()*+,;=%\[\]-]+", re.ASCII)
_LONGEST_HEADER_LINE = 996  # RFC 5322: lines have at most 998 characters
_HEADER_LINE = re.compile(rf"[ -~]{{1,{_LONGEST_HEADER_LINE}}}")
_WORD_BYTES = 42  # an encoded word is at most 75 characters long
_PLAIN_LINE = 900
AUTO_SUBMITTED = "Auto-Submitted: auto-generated\r\n"
_LONGEST_TEXT = 300  # as long as a shop's name may be

_NOT_IN_TEXT = {"Cc", "Cs"}  # control characters and lone surrogates
_LEFT_TO_RIGHT = {"L", "EN", "ES", "ET", "CS", "NSM", "BN", "B", "S", "WS", "ON"}  # or without a direction
_ISOLATES, _END_OF_ISOLATE = {"\u2066", "\u2067", "\u2068"}, "\u2069"


def checked_text(text: str) -> str:
    """Return a text.

    Raises: `ValueError` if it has control characters, such as line breaks, or lone surrogates.
    """
    if not _is_text(text):
        message = "a name or an order number holds control characters"
        raise ValueError(message)
    return text


def web_link(url: str) -> str:
    """Return a link to a web page.

    Raises: `ValueError` if it is none, or has characters that a header cannot have.
    """
    if not _WEB_LINK.fullmatch(url):
        message = "a link is not a URL"
        raise ValueError(message)
    return url


@lru_cache(maxsize=64)
def date_text(instant: datetime) -> str:
    """Return an instant as a header has it; letters that were claimed together share it."""
    return format_datetime(instant)


def content_of(head: Iterable[str], item_id: str, text: bytes, html: bytes) -> bytes:
    """Return the content of an e-mail: its header lines, and its text and HTML, which are encoded already."""
    boundary = f"=_{item_id}"  # quoted-printable never contains =_
    lines = (
        *head,
        "MIME-Version: 1.0\r\n",
        header("Content-Type", f'multipart/alternative; boundary="{boundary}"'),
        "\r\n",
    )
    parts = (
        "".join(lines).encode("ascii"),
        _part_head(boundary, "plain"),
        text,
        b"\r\n",
        _part_head(boundary, "html"),
        html,
        f"\r\n--{boundary}--\r\n".encode("ascii"),
    )
    return b"".join(parts)


def header(name: str, value: str) -> str:
    """Return the complete header line; the value must already be encoded."""
    line = f"{name}: {value}"
    if len(line) <= _LONGEST_HEADER_LINE and line.isascii() and line.isprintable():  # nearly all: one plain line
        return f"{line}\r\n"
    if not all(_HEADER_LINE.fullmatch(each) for each in line.split("\r\n ")):
        message = f"{name} cannot be written"
        raise ValueError(message)
    return f"{line}\r\n"


def _part_head(boundary: str, subtype: str) -> bytes:
    """Return what precedes the encoded text of one part, beginning with the boundary."""
    return (
        f"--{boundary}\r\n"
        f'Content-Type: text/{subtype}; charset="utf-8"\r\n'
        "Content-Transfer-Encoding: quoted-printable\r\n"
        "\r\n"
    ).encode("ascii")


def plain_address(text: str) -> str:
    """Return `text`, which must be a plain address; any other could be parsed as two, or as another header.

    Raises: `ValueError`.
    """
    try:
        return EmailAddress.parse(text).text
    except Invalid:
        raise ValueError("not a valid e-mail address") from None


def subject_header(text: str) -> str:
    """Return the header line of the subject, in encoded words unless the text is safe as it is."""
    return header("Subject", text if _is_plain(text) else _encoded(text))


def unsubscribe_headers(url: str) -> Iterator[str]:
    """Yield the header lines that let a mail program offer to unsubscribe. RFC 2369, RFC 8058.

    RFC 8058 allows the one-click header for `https` only; the plain link is also given for `http`, as in trials.
    """
    yield header("List-Unsubscribe", f"<{web_link(url)}>")
    if url.startswith("https://"):
        yield "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"


def display_name(text: str) -> str:
    """Return `text` as the name before an address: a quoted string if that is safe, else encoded words."""
    return f'"{quote(text)}"' if _is_plain(text) else _encoded(text)


def cleaned(text: str) -> str:
    """Return a text with a blank in place of control characters, cut to 300."""
    plain = "".join(each if _is_text(each) else " " for each in text[:_LONGEST_TEXT])
    return " ".join(plain.split())


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


def isolated(text: str) -> str:
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
