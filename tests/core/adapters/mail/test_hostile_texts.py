"""Thousands of hostile names and order numbers: the headers stay ours, and one message in is one message out."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from email.header import decode_header, make_header
from email.message import Message as Parsed
from email.parser import BytesParser

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session
from tests.blocking_mailer import staged
from tests.budgets import in_full
from tests.core.adapters.mail.mail_server import ClosingController
from tests.core.adapters.mail.rendering import HEADERS, REVIEW_URL, display_name, rendered
from tests.core.adapters.mail.servers import smtp_mailer

from reviewinvite_core.adapters.mail.headers import isolated
from reviewinvite_core.adapters.mail.smtp import SmtpServer
from reviewinvite_core.ports import Accepted, Message, NotRenderable

SEED = 20260307

NO_TEXT = ["\r", "\n", "\r\n", "\r\n ", "\x85", "\0", "\x0b", "\x0c", "\x1c", "\x7f", "\ud800", "\udfff"]
NO_TEXT += ["\r\n.\r\n", "\r.\r\n", "\n.\n", "\n.\r\n", "\r\n\r\n", "\r\nBcc: x@example.com", "\t"]
ODD = ["\u2028", "\u2029", "\u202e", "\u202c", "\u2066", "\u2069", "\u200f", "\ufeff", "\u00a0", "\u3000", "\u00ad"]
WORDS = [
    "=?UTF-8?Q?=0A?=Bcc: x@example.com",
    "=?utf-8?b?DQpCY2M6IHhAZXhhbXBsZS5jb20=?=",
    "=?",
    "?=",
    "=0D=0A",
    "=\u2028",
]
WORDS += ["Bcc: x@example.com", "Bcc:", '"', "\\", "<x@example.com>", ",", ";", "(", ")", ".", "..", ": ", "--", "=_"]
WORDS += [
    "{{ letter.recipient }}",
    "{%",
    "</td></table>",
    "&#13;&#10;",
    "%0d%0a",
    "shop",
    "Söhne",
    "寿司",
    "محل",
    " ",
    "  ",
]
WORDS += [
    "🎁",
    "👨‍👩‍👧‍👦",
    "e\u0301",
    "x" * 70,
    "ü" * 70,
    "word " * 15,
    "W" * 128,
    "--=_019cadd4-cbc8-73c1-9e5f-0a94c27d3b86--",
]


def hostile_text(chance: random.Random) -> str:
    """Up to a dozen pieces; a third of the texts may hold what no shop or order may have."""
    pieces = WORDS + ODD + (NO_TEXT if chance.random() < 1 / 3 else [])
    chosen = [chance.choice(pieces) for _ in range(chance.randint(1, 12))]
    chosen += [chr(chance.choice((chance.randint(0xA0, 0xD7FF), chance.randint(0xE000, 0x10FFFF)))) for _ in range(2)]
    chance.shuffle(chosen)
    return "".join(chosen)


def is_text(value: str) -> bool:
    return not any(unicodedata.category(character) in {"Cc", "Cs"} for character in value)


def read(message: Message) -> Parsed:
    """The message, as a parser reads it that knows no more than RFC 5322."""
    return BytesParser().parsebytes(message.content)


def subject_of(head: Parsed) -> str:
    return str(make_header(decode_header(head["Subject"].replace("\r\n", ""))))


@pytest.mark.parametrize("letters", [300, in_full(10_000)])
def test_thousands_of_names_and_numbers_leave_the_headers_ours(letters: int) -> None:
    chance = random.Random(SEED)  # noqa: S311 - the same texts in every run
    written = refused = 0
    for _ in range(letters):
        name, number = hostile_text(chance), hostile_text(chance)
        language = chance.choice(["nl", "en"])
        try:
            message = rendered(shop_name=name, order_number=number, language=language)
        except NotRenderable:
            refused += 1
            assert not (is_text(name) and is_text(number)), (name, number)
            continue
        written += 1
        head = read(message)
        assert head.keys() == HEADERS, name
        assert not head.defects
        assert display_name(message) == name
        assert isolated(name) in subject_of(head)
        assert head["To"] == "anna@example.com"
        assert message.content.isascii()
        assert message.content.count(b"\n") == message.content.count(b"\r") == message.content.count(b"\r\n")
        assert max(map(len, message.content.split(b"\r\n"))) <= 998
        assert message.content.count(b"\r\n--=_") == 3  # before the text, before the HTML, and at the end
    assert written > letters / 3
    assert refused > letters / 5


class Kept:
    """A server's handler: keeps every message that it understands to have got, and who it is for."""

    def __init__(self) -> None:
        self.messages: list[tuple[list[str], bytes]] = []

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        self.messages.append((envelope.rcpt_tos, envelope.original_content or b""))
        return "250 2.0.0 taken"


@contextmanager
def mail_server(kept: Kept) -> Iterator[SmtpServer]:
    controller = ClosingController(kept)
    controller.start()
    try:
        yield SmtpServer(host=controller.hostname, port=controller.port)
    finally:
        controller.stop()


def smuggling() -> Iterator[tuple[str, str]]:
    """Names and order numbers that would end the message early, if anything let them; some make no message."""
    for end in ("\r\n.\r\n", "\r.\r\n", "\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\u2028.\u2028", "\x85.\x85"):
        for rest in ("", "MAIL FROM:<x@example.com>\r\nRCPT TO:<y@example.com>\r\nDATA\r\n", "QUIT"):
            yield f"Shop{end}{rest}", "1001"
            yield "Shop", f"1001{end}{rest}"
    for dots in (".", "..", ". .", "." * 300, "=2E", "=0D=0A.=0D=0A"):
        yield dots, dots
    for length in range(60, 80):  # wherever quoted-printable breaks its lines, some of them begin with the dot
        yield f"{'x' * length}.", f"{'é' * length}.\u2028.\u2028"


def test_one_message_in_is_one_message_out() -> None:
    sent: list[bytes] = []
    refused = 0
    kept = Kept()
    with mail_server(kept) as address:
        mailer = smtp_mailer(address)
        for name, number in smuggling():
            try:
                message = rendered(shop_name=name, order_number=number)
            except NotRenderable:
                refused += 1
                continue
            assert isinstance(staged(mailer, message).commit(), Accepted)
            sent.append(message.content)
        mailer.close()
    assert [content for _, content in kept.messages] == sent
    assert {tuple(recipients) for recipients, _ in kept.messages} == {("anna@example.com",)}
    assert any(b"\r\n." in content for content in sent)
    assert (len(sent), refused) == (30, 44)
    assert all(REVIEW_URL[:30].encode() in content for content in sent)
