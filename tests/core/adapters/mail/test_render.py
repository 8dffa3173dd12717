"""Letters into messages: whatever a shop is called, the headers are ours."""

from __future__ import annotations

import email
import email.header
import email.policy
import email.utils
import re
from email.message import EmailMessage
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, strategies as st
from tests.core.adapters.mail.rendering import (
    HEADERS,
    LETTER,
    REVIEW_URL,
    SENDER,
    UNSUBSCRIBE_URL,
    display_name,
    rendered,
)

from reviewinvite_core.adapters.mail.render import TemplateRenderer
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.shop import shop_name
from reviewinvite_core.domain.text import short_text, shows_something
from reviewinvite_core.ports import Message, NotRenderable

HOSTILE_NAMES = {
    "encoded line break": "=?UTF-8?Q?=0A?=Bcc: x@example.com",
    "encoded carriage return": "=?utf-8?b?DQpCY2M6IHhAZXhhbXBsZS5jb20=?=",
    "encoded word": "=?utf-8?q?Caf=C3=A9?=",
    "half an encoded word": "Shop =?utf-8?q?",
    "quotes": 'The "Best" Shop\\',
    "another address": 'x" <evil@example.com>, "y',
    "angle brackets": "Shop <b>bold</b> & Söhne",
    "comma and colon": "Group: a@example.com, b@example.com;",
    "comment": "Shop (a comment",
    "emoji": "🎁" * 200,
    "family": "👨‍👩‍👧‍👦" * 30,
    "right to left": "\u202bمحل\u202c bakery",
    "line separator": "one\u2028Bcc: x@example.com",
    "paragraph separator": "one\u2029Bcc: x@example.com",
    "very long": "x" * 300,
    "very long words": "word " * 59 + "end",
    "very long and not ASCII": "ü" * 300,
    "dots": "...",
    "a template": "{{ letter.recipient }}{% raw %}",
    "a surname": "O'Neill & Zoon",
    "two  blanks": "two  blanks",
    "no-break space": "Bakkerij\u00a0De\u00a0Molen",
}
BEYOND_DOMAIN = {
    "a line": "Shop\r\nBcc: x@example.com",
    "half a line": "Shop\rBcc: x@example.com",
    "the other half": "Shop\nBcc: x@example.com",
    "next line": "Shop\x85Bcc: x@example.com",
    "vertical tab": "Shop\x0bBcc",
    "nothing": "Shop\0Bcc",
    "the end of a message": "Shop\r\n.\r\nMAIL FROM:<x@example.com>",
    "the end of a message for some": "Shop\n.\nMAIL FROM:<x@example.com>",
    "the end of a message for others": "Shop\r.\r\nMAIL FROM:<x@example.com>",
    "half a pair": "Shop \ud83c",
}


def parsed(message: Message) -> EmailMessage:
    return email.message_from_bytes(message.content, policy=email.policy.default)


def parts(message: Message) -> tuple[str, str]:
    """The text and the HTML."""
    text, html = parsed(message).iter_parts()
    assert (text.get_content_type(), html.get_content_type()) == ("text/plain", "text/html")
    return text.get_content(), html.get_content()


def without_blanks(text: str) -> str:
    """The email package puts a blank between the encoded words of a name, where RFC 2047 has none."""
    return "".join(text.split())


def assert_harmless(message: Message, name: str) -> None:
    """The headers are ours and no others, and say the shop's name."""
    head, _, _ = message.content.partition(b"\r\n\r\n")
    assert head.isascii()
    lines = head.split(b"\r\n")
    assert b"\n" not in b"".join(lines)
    assert b"\r" not in b"".join(lines)
    assert max(len(line) for line in lines) <= 998
    assert [line.split(b":")[0].decode() for line in lines if not line.startswith(b" ")] == HEADERS
    read = parsed(message)
    assert read.keys() == HEADERS
    assert not read.defects
    (sender,) = read["From"].addresses
    assert (without_blanks(sender.display_name), sender.addr_spec) == (without_blanks(name), SENDER)
    assert display_name(message) == name
    assert [address.addr_spec for address in read["To"].addresses] == ["anna@example.com"]
    assert name in read["Subject"]


def existing_name(text: str) -> str:
    """A name that a shop may have had since before names were no addresses; it stays valid.

    Raises: `Invalid`.
    """
    name = short_text(text, "name", longest=300, bidirectional=True)
    return name if shows_something(name) else shop_name("")


@pytest.mark.parametrize("name", list(HOSTILE_NAMES.values()), ids=list(HOSTILE_NAMES))
@pytest.mark.parametrize("language", ["nl", "en"])
def test_whatever_a_shop_is_called_the_headers_are_ours(name: str, language: str) -> None:
    assert_harmless(rendered(shop_name=existing_name(name), language=language), name)


@given(st.text(min_size=1, max_size=300) | st.text('=?utf-8QBqb_ "\\<>@,;:()\u2028\u202e\u00a0üx', max_size=60))
@example("0\u1680")
def test_any_name_that_a_shop_may_have_is_read_as_it_was_written(written: str) -> None:
    try:
        name = existing_name(written)
    except Invalid:
        return
    assert_harmless(rendered(shop_name=name), name)


def test_an_encoded_word_is_at_most_75_characters_long_and_holds_whole_characters() -> None:
    for name in ("ü" * 300, "🎁" * 300, "xü" * 150):
        head = rendered(shop_name=name).content.partition(b"\r\n\r\n")[0]
        words = re.findall(rb"=\?utf-8\?b\?[^?]*\?=", head)
        assert len(words) > 10
        assert max(len(word) for word in words) <= 75
        for word in words:
            assert "\ufffd" not in str(email.header.make_header(email.header.decode_header(word.decode())))


@pytest.mark.parametrize("text", list(BEYOND_DOMAIN.values()), ids=list(BEYOND_DOMAIN))
@pytest.mark.parametrize("field", ["shop_name", "order_number"])
def test_a_text_that_no_shop_or_order_may_have_makes_no_message(field: str, text: str) -> None:
    with pytest.raises(NotRenderable):
        rendered(**{field: text})


def test_a_letter_rendered_again_is_the_same_byte_by_byte() -> None:
    assert rendered(shop_name="Käse & Söhne 🧀") == rendered(shop_name="Käse & Söhne 🧀")


def test_the_fixed_headers_have_their_values() -> None:
    read = parsed(rendered())
    assert read["To"] == "anna@example.com"
    assert read["Message-ID"] == "<019cadd4-cbc8-73c1-9e5f-0a94c27d3b86@mail.example.com>"
    assert read["Auto-Submitted"] == "auto-generated"
    assert read["Date"].datetime == LETTER.written_at.replace(microsecond=0)
    assert read["MIME-Version"] == "1.0"
    assert read["From"] == f"Bakkerij De Molen <{SENDER}>"
    assert read["Subject"] == "Hoe was uw bestelling bij Bakkerij De Molen?"
    assert parsed(rendered(language="en"))["Subject"] == "How was your order from Bakkerij De Molen?"


def test_one_click_stops_it_and_the_link_stands_on_one_line() -> None:
    lines = rendered().content.split(b"\r\n")
    assert f"List-Unsubscribe: <{UNSUBSCRIBE_URL}>".encode() in lines
    assert b"List-Unsubscribe-Post: List-Unsubscribe=One-Click" in lines
    long = f"https://reviews.example.com/{'far/' * 200}u/token"
    assert f"List-Unsubscribe: <{long}>".encode() in rendered(unsubscribe_url=long).content.split(b"\r\n")


def test_one_click_is_promised_for_https_alone() -> None:
    message = rendered(unsubscribe_url="http://127.0.0.1:8000/u/token")
    assert parsed(message).keys() == [name for name in HEADERS if name != "List-Unsubscribe-Post"]
    assert parsed(message)["List-Unsubscribe"] == "<http://127.0.0.1:8000/u/token>"


def test_replies_go_to_the_shop_where_it_has_given_an_address() -> None:
    message = rendered(reply_to="vragen@example.com")
    assert parsed(message).keys() == [HEADERS[0], "Reply-To", *HEADERS[1:]]
    assert parsed(message)["Reply-To"] == "vragen@example.com"
    for part in parts(message):
        assert "uw antwoord gaat naar Bakkerij De Molen." in part
    for part in parts(rendered(reply_to="vragen@example.com", language="en")):
        assert "your reply goes to Bakkerij De Molen." in part
    for language, word in (("nl", "antwoord"), ("en", "reply")):
        assert not [part for part in parts(rendered(language=language)) if word in part]


@pytest.mark.parametrize("field", ["recipient", "reply_to"])
@pytest.mark.parametrize(
    "address",
    [
        "anna@example.com\r\nBcc: x@example.com",
        "anna@example.com\r\n Bcc: x@example.com",
        "anna@example.com\n",
        "anna@example.com, x@example.com",
        "<anna@example.com>",
        "anna@example.com>",
        "anna",
        "anna@example",
        "an..na@example.com",
        "änna@example.com",
        "a b@example.com",
        "a" * 1000 + "@example.com",
        " ",
    ],
)
def test_what_is_no_plain_address_makes_no_message(field: str, address: str) -> None:
    with pytest.raises(NotRenderable) as caught:
        rendered(**{field: address})
    assert "example" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/u/x>\r\nBcc: x@example.com",
        "https://example.com/u/x\r\n y",
        "https://example.com/u/x>, <mailto:x@example.com",
        "mailto:x@example.com",
        "https://example.com/u/ö",
        f"https://example.com/{'x' * 1000}",
        "",
    ],
)
def test_what_is_no_link_to_unsubscribe_makes_no_message(url: str) -> None:
    with pytest.raises(NotRenderable):
        rendered(unsubscribe_url=url)


def test_the_envelope_is_the_services_own_address_and_the_customers() -> None:
    message = rendered()
    assert (message.sender, message.recipient) == (SENDER, "anna@example.com")
    assert message.message_id == "<019cadd4-cbc8-73c1-9e5f-0a94c27d3b86@mail.example.com>"


def test_header_and_envelope_have_the_address_as_mail_servers_take_it() -> None:
    message = rendered(recipient="Anna@BÜCHER.nl", reply_to="vragen@EXAMPLE.com")
    assert message.recipient == parsed(message)["To"] == "Anna@xn--bcher-kva.nl"
    assert parsed(message)["Reply-To"] == "vragen@example.com"


def test_an_address_that_looks_like_an_encoded_word_adds_no_header() -> None:
    message = rendered(recipient="=?utf-8?q?=0ABcc?=@example.com")
    assert parsed(message).keys() == HEADERS


@pytest.mark.parametrize(
    ("language", "sentence", "greeting"),
    [
        ("nl", "U hebt onlangs iets besteld bij Bakkerij De Molen (bestelnummer 2026-0193).", "Goedendag,"),
        ("en", "You recently ordered from Bakkerij De Molen (order number 2026-0193).", "Hello,"),
    ],
)
def test_text_and_html_say_the_same_in_both_languages(language: str, sentence: str, greeting: str) -> None:
    text, html = parts(rendered(language=language))
    assert text.startswith(greeting)
    assert sentence in text
    assert sentence in " ".join(words_of(html).split())
    assert f'<html lang="{language}" dir="ltr">' in html
    for link in (REVIEW_URL, UNSUBSCRIBE_URL):
        assert link in text.splitlines()
        assert text.count(link) == html.count(link) == 1


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "nl",
            (
                "Deze e-mail is verstuurd door reviews.example.com namens Bakkerij De Molen,",
                "omdat u daar iets hebt besteld.",
                "We gebruiken uw e-mailadres alleen voor deze uitnodiging.",
                "U krijgt geen herinnering, en daarna wissen we het adres.",
                "Elke mening telt, goed of slecht.",
                "Liever geen uitnodigingen meer? Afmelden",
            ),
        ),
        (
            "en",
            (
                "This e-mail was sent by reviews.example.com on behalf of Bakkerij De Molen because you ordered there.",
                "We use your e-mail address for this invitation only.",
                "We send no reminders and erase the address afterwards.",
                "Every opinion counts, good or bad.",
                "Prefer not to get these invitations? Unsubscribe",
            ),
        ),
    ],
)
def test_it_says_who_sends_it_for_whom_and_why_and_how_to_stop_it(language: str, sentences: tuple[str, ...]) -> None:
    text, html = parts(rendered(language=language))
    for shown in (text, words_of(html)):
        for sentence in sentences:
            assert sentence in " ".join(shown.split())


@pytest.mark.parametrize(("language", "word"), [("nl", "bestelnummer"), ("en", "order number")])
def test_without_an_order_number_none_is_mentioned(language: str, word: str) -> None:
    for part in parts(rendered(language=language, order_number=None)):
        assert word not in part
        assert "None" not in part
        assert "Bakkerij De Molen" in part


class Words(HTMLParser):
    """What a reader of the page reads, and the tags that stand around it."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def words_of(html: str) -> str:
    reader = Words()
    reader.feed(html)
    return "".join(reader.words)


def test_a_name_and_a_number_are_text_in_the_html_and_never_tags() -> None:
    attack = """<script>alert(1)</script><img src=x onerror="alert(1)">'"&amp;"""
    text, html = parts(rendered(shop_name=attack, order_number=attack))
    reader = Words()
    reader.feed(html)
    plain = Words()
    plain.feed(parts(rendered())[1])
    assert reader.tags == plain.tags
    assert "".join(reader.words).count(attack) >= 2
    assert "alert" not in " ".join(str(tag) for tag in reader.tags)
    assert attack in text


def test_a_link_is_escaped_in_the_html() -> None:
    _, html = parts(rendered(review_url='https://example.com/r/"onclick="x&y'))
    reader = Words()
    reader.feed(html)
    links = [attributes for tag, attributes in reader.tags if tag == "a"]
    assert [link["href"] for link in links] == ['https://example.com/r/"onclick="x&y', UNSUBSCRIBE_URL]
    assert all("onclick" not in link for link in links)


@pytest.mark.parametrize("language", ["nl", "en"])
def test_the_html_has_two_links_and_fetches_nothing(language: str) -> None:
    html = parts(rendered(language=language, reply_to="vragen@example.com"))[1]
    reader = Words()
    reader.feed(html)
    tags = {tag for tag, _ in reader.tags}
    assert not {"img", "script", "link", "iframe", "video", "form", "input", "object", "embed", "base", "svg"} & tags
    leading = [(tag, value) for tag, given in reader.tags for name, value in given.items() if "://" in str(value)]
    assert leading == [("a", REVIEW_URL), ("a", UNSUBSCRIBE_URL)]
    assert not {"src", "srcset", "background", "poster", "action"} & {
        name for _, given in reader.tags for name in given
    }
    assert html.count("://") == 2
    for word in ("@import", "url(", "expression("):
        assert word not in html


CONTRASTS = [
    ("#14181f", "#ffffff", "ink on the card"),
    ("#5a6372", "#ffffff", "what is quiet on the card"),
    ("#5a6372", "#f6f7f9", "what is below the card"),
    ("#2456e6", "#e9effe", "the shop's initial"),
    ("#ffffff", "#2456e6", "the button"),
    ("#eceff4", "#191d25", "ink on the card, dark"),
    ("#9aa4b5", "#191d25", "what is quiet on the card, dark"),
    ("#9aa4b5", "#0f1217", "what is below the card, dark"),
    ("#8fb0ff", "#1a2850", "the shop's initial, dark"),
    ("#ffffff", "#3766ec", "the button, dark"),
]


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    parts_of_one = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts_of_one)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("ink", "paper", "_where"), CONTRASTS, ids=[where for _, _, where in CONTRASTS])
def test_everything_can_be_read_by_light_and_in_the_dark(ink: str, paper: str, _where: str) -> None:
    html = parts(rendered())[1]
    assert f"color:{ink}" in html.replace("color: ", "color:")
    assert f"background:{paper}" in html.replace("background: ", "background:")
    darker, lighter = sorted((luminance(ink), luminance(paper)))
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # WCAG 2, AA


def test_no_colour_is_used_whose_contrast_was_not_looked_at() -> None:
    decoration = {"#e2e5eb", "#2c323e"}  # the edge of the card
    looked_at = {colour for ink, paper, _ in CONTRASTS for colour in (ink, paper)}
    assert set(re.findall(r"#[0-9a-f]{6}", parts(rendered())[1])) == looked_at | decoration


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Bakkerij\u00a0De Molen 🥐", "Bakkerij\u00a0De Molen 🥐"),
        ("محل", "\u2068محل\u2069"),
        ("\u202egpj.shop", "\u2068\u202egpj.shop\u2069"),
        ("\u2069\u202egpj.shop", "\u2068\u202egpj.shop\u2069"),
        ("\u2067shop", "\u2068\u2067shop\u2069\u2069"),
        ("\u2067a\u2069b\u2069\u2066c", "\u2068\u2067a\u2069b\u2066c\u2069\u2069"),
    ],
)
def test_a_name_does_not_turn_the_sentence_around(name: str, shown: str) -> None:
    message = rendered(shop_name=name)
    assert parsed(message)["Subject"] == f"Hoe was uw bestelling bij {shown}?"
    for part in parts(message):
        part = re.sub(r"</?span[^>]*>", "", part)
        assert f"bij {shown} (bestelnummer 2026-0193)." in part
        assert f"namens {shown}, omdat" in part


@pytest.mark.parametrize(
    ("operator", "shown"),
    [(None, "reviews.example.com"), ("Molen & Zoon B.V.", "Molen & Zoon B.V."), ("محل", "\u2068محل\u2069")],
)
def test_the_operator_is_named_as_the_sender(operator: str | None, shown: str) -> None:
    message = TemplateRenderer(SENDER, operator).render(LETTER)
    assert message == TemplateRenderer(SENDER, operator).render_alone(LETTER)
    assert display_name(message) == LETTER.shop_name
    text, html = parts(message)
    for part in (text, words_of(html)):
        assert f"verstuurd door {shown} namens" in part


def test_every_line_ends_with_crlf_and_is_short_ascii() -> None:
    for name in HOSTILE_NAMES.values():
        content = rendered(shop_name=name, order_number="🎁" * 128).content
        assert content.isascii()
        assert content.count(b"\n") == content.count(b"\r") == content.count(b"\r\n")
        assert max(len(line) for line in content.split(b"\r\n")) <= 998
        assert content.endswith(b"\r\n")


def test_both_parts_travel_quoted_printable() -> None:
    for part in parsed(rendered()).iter_parts():
        assert part["Content-Transfer-Encoding"] == "quoted-printable"
        assert part.get_content_charset() == "utf-8"


@pytest.mark.parametrize(
    "changes", [{"language": "fr"}, {"recipient": "änna@example.com"}, {"shop_name": "\ud800"}], ids=str
)
def test_what_cannot_be_rendered_is_said_so(changes: dict[str, str]) -> None:
    with pytest.raises(NotRenderable):
        rendered(**changes)


def test_a_letter_and_a_message_show_neither_address_nor_link() -> None:
    shown = f"{LETTER!r} {rendered()!r}"
    assert "anna" not in shown
    assert REVIEW_URL not in shown
