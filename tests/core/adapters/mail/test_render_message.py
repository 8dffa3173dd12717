"""Messages that are no invitations: what they say, and that no text in them can do harm."""

from __future__ import annotations

import email
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from typing import Any

import attrs
import pytest
from tests.core.adapters.mail.rendering import SENDER, display_name
from tests.messages import VALUES

from reviewinvite_core.adapters.mail.render_notice import NoticeTemplateRenderer
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.ports import Message, NoticeLetter, NotRenderable

HEADERS = ["From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"]
HOSTILE = {
    "markup": '<img src="https://evil.example/x"><script>alert(1)</script>',
    "a line break": "one\r\nBcc: x@example.com\r\n\r\n<p>two",
    "an encoded line break": "=?UTF-8?Q?=0A?=Bcc: x@example.com",
    "right to left": "\u202emoc.elpmaxe\u2066",
    "a lone surrogate": "odd \ud800",
    "length": "W" * 10_000,
    "a place": "\ue000link\ue001 {{ link }} %(link)s",
    "a boundary": "--=_019cadd4-cbc8-73c1-9e5f-0a94c27d3b86--",
}


def letter(kind: NoticeKind, language: str = "nl", **values: str) -> NoticeLetter:
    return NoticeLetter(
        message_id="019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
        kind=kind,
        recipient="member@example.com",
        language=Language(language),
        values={**VALUES[kind], **values},
        written_at=datetime(2026, 3, 7, 9, 15, 30, 120_000, tzinfo=UTC),
    )


def rendered(kind: NoticeKind, language: str = "nl", *, operator: str | None = None, **values: str) -> Message:
    return NoticeTemplateRenderer(SENDER, operator).render(letter(kind, language, **values))


def parsed(message: Message) -> EmailMessage:
    read = email.message_from_bytes(message.content, policy=policy.default)
    assert isinstance(read, EmailMessage)
    return read


def parts(message: Message) -> tuple[str, str]:
    """Return the text and the HTML."""
    text, html = (part.get_content() for part in parsed(message).iter_parts())
    return text, html


@pytest.mark.parametrize("language", ["nl", "en"])
@pytest.mark.parametrize("kind", NoticeKind)
def test_every_kind_says_all_its_values_in_both_parts_and_has_its_link(kind: NoticeKind, language: str) -> None:
    message = rendered(kind, language)
    values = dict(VALUES[kind])
    values.pop("when", None)
    values.pop("role", None)
    for part in parts(message):
        assert [value for value in values.values() if value not in part] == []
    assert message.recipient == "member@example.com"
    assert message.sender == SENDER
    assert message.message_id == "<019cadd4-cbc8-73c1-9e5f-0a94c27d3b86@mail.example.com>"


@pytest.mark.parametrize("kind", NoticeKind)
def test_the_languages_differ_in_every_sentence(kind: NoticeKind) -> None:
    dutch, english = (set(parts(rendered(kind, language))[0].splitlines()) - {""} for language in ("nl", "en"))
    assert [line for line in dutch & english if "https://" not in line and ": " not in line] == []


@pytest.mark.parametrize("kind", NoticeKind)
def test_the_headers_are_these_and_offer_no_way_to_unsubscribe(kind: NoticeKind) -> None:
    message = rendered(kind)
    assert parsed(message).keys() == HEADERS
    assert parsed(message)["Auto-Submitted"] == "auto-generated"


def test_it_comes_from_the_operator_or_else_from_the_host_of_the_link() -> None:
    named = rendered(NoticeKind.NEW_DEVICE, operator="Reviews & Zo")
    assert (display_name(named), display_name(rendered(NoticeKind.NEW_DEVICE))) == (
        "Reviews & Zo",
        "reviews.example.com",
    )


@pytest.mark.parametrize(("operator", "service"), [("Reviews & Zo", "Reviews & Zo"), (None, "reviews.example.com")])
def test_it_calls_the_service_what_its_sender_is_called(operator: str | None, service: str) -> None:
    message = rendered(NoticeKind.NEW_DEVICE, "en", operator=operator)
    assert parsed(message)["Subject"] == f"New sign-in to your account at {service}"
    assert f"signed in to your account at {service} on a new device" in parts(message)[0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"minutes": "15"}, "The link works once and expires in 15 minutes."),
        ({"minutes": "1"}, "The link works once and expires in 1 minute."),
        ({"hours": "72", "shop": "Bakkerij"}, "The link works once and expires in 72 hours."),
        ({"hours": "1", "shop": "Bakkerij"}, "The link works once and expires in 1 hour."),
    ],
)
def test_a_sign_in_link_says_how_long_it_is_valid(values: dict[str, str], expected: str) -> None:
    text, html = parts(rendered(NoticeKind.SIGN_IN_LINK, "en", **values))
    assert (expected in text, expected in html) == (True, True)


def test_a_new_member_is_told_the_shop() -> None:
    message = rendered(NoticeKind.SIGN_IN_LINK, "nl", hours="72", shop="Bakkerij De Molen")
    assert parsed(message)["Subject"] == "Uw toegang tot het dashboard van Bakkerij De Molen"


@pytest.mark.parametrize("kind", [each for each in NoticeKind if each is not NoticeKind.SIGN_IN_LINK])
def test_the_time_of_what_happened_is_written_as_in_the_language(kind: NoticeKind) -> None:
    for part in parts(rendered(kind, "nl")):
        assert "Tijd: 2 maart 2026, 12:00 UTC" in part
    for part in parts(rendered(kind, "en")):
        assert "Time: 2 March 2026, 12:00 UTC" in part


def test_a_time_that_is_none_is_shown_as_it_is() -> None:
    assert "yesterday" in parts(rendered(NoticeKind.NEW_DEVICE, "en", when="yesterday"))[0]


@pytest.mark.parametrize("kind", [each for each in NoticeKind if "by" in VALUES[each]])
def test_a_notice_names_who_acted(kind: NoticeKind) -> None:
    by_operator, by_member = rendered(kind, "en", by=""), rendered(kind, "en")
    for part in parts(by_operator):
        assert "Done by: reviews.example.com" in part
    for part in parts(by_member):
        assert "Done by: anna@example.com" in part


@pytest.mark.parametrize("kind", [NoticeKind.MEMBER_REMOVED, NoticeKind.ROLE_CHANGED])
def test_whoever_is_concerned_is_addressed_and_gets_no_link_to_what_is_not_open_any_more(kind: NoticeKind) -> None:
    for part in parts(rendered(kind, "en", you="yes")):
        assert ("You no longer have access" in part) is (kind is NoticeKind.MEMBER_REMOVED)
        assert ("You are now a staff member" in part) is (kind is NoticeKind.ROLE_CHANGED)
        assert ("/dashboard/" in part) is (kind is NoticeKind.ROLE_CHANGED)
        assert "bert@example.com" not in part


def test_a_key_without_a_label_has_none() -> None:
    for part in parts(rendered(NoticeKind.KEY_CREATED, "en", label="")):
        assert "Label" not in part


@pytest.mark.parametrize("kind", [NoticeKind.KEY_CREATED, NoticeKind.MEMBER_ADDED, NoticeKind.REPLY_TO_CHANGED])
def test_a_notice_that_was_queued_before_an_upgrade_lacks_the_time(kind: NoticeKind) -> None:
    whole = letter(kind, "en")
    old = attrs.evolve(whole, values={name: value for name, value in whole.values.items() if name != "when"})
    for part in parts(NoticeTemplateRenderer(SENDER).render(old)):
        assert "Time" not in part


@pytest.mark.parametrize("name", ["\u2067shop", "\u2069\u202bshop", "מאפייה"], ids=ascii)
def test_a_shops_name_does_not_turn_its_subject(name: str) -> None:
    subject = parsed(rendered(NoticeKind.REPLY_TO_CHANGED, "en", shop=name))["Subject"]
    begin, _, end = subject.partition("shop" if "shop" in name else name)
    assert begin.startswith("The reply address of \u2068")
    assert (subject.count("\u2069"), end.endswith("\u2069 was changed")) == (len(set("\u2067") & set(name)) + 1, True)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("kind", NoticeKind)
def test_no_text_can_be_more_than_text(kind: NoticeKind, text: str) -> None:
    names = (VALUES[kind].keys() | {"shop"}) - {"link", "sessions_link", "minutes", "role"}
    message = rendered(kind, "en", **dict.fromkeys(names, text))
    head, _, _ = message.content.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert message.content.isascii()
    assert [line.split(b":")[0].decode() for line in lines if not line.startswith(b" ")] == HEADERS
    assert max(len(line) for line in message.content.split(b"\r\n")) <= 998
    plain, html = parts(message)
    assert html.count("<script") == html.count("<img") == 0
    assert html.count("</html>") == 1
    assert plain.count("https://reviews.example.com/dashboard") == 1


@pytest.mark.parametrize("link", ["javascript:alert(1)", "https://reviews.example.com/\r\nBcc: x@example.com", ""])
def test_what_is_no_link_is_not_rendered(link: str) -> None:
    with pytest.raises(NotRenderable):
        rendered(NoticeKind.SIGN_IN_LINK, link=link)


@pytest.mark.parametrize("changes", [{"recipient": "a@example.com, b@example.com"}, {"values": {"link": "https://x"}}])
def test_what_is_no_letter_is_not_rendered(changes: dict[str, Any]) -> None:
    whole = letter(NoticeKind.SIGN_IN_LINK)
    with pytest.raises(NotRenderable):
        NoticeTemplateRenderer(SENDER).render(attrs.evolve(whole, **changes))
