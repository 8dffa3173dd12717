"""Which addresses a customer may have."""

from __future__ import annotations

from typing import Any

import pytest
from email_validator import EmailNotValidError, validate_email
from hypothesis import given, strategies as st

from reviewinvite_core.domain.email_address import EmailAddress, SenderAddress
from reviewinvite_core.domain.errors import Invalid, Problem

LONGEST_LOCAL = "x" * 64


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("anna@example.com", "anna@example.com"),
        (" \tanna@example.com ", "anna@example.com"),
        ("Anna.De-Vries+shop@EXAMPLE.com", "Anna.De-Vries+shop@example.com"),
        ("anna@sub.example.co.uk", "anna@sub.example.co.uk"),
        (f"{LONGEST_LOCAL}@example.com", f"{LONGEST_LOCAL}@example.com"),
        ("!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"),
        ("anna@bücher.nl", "anna@xn--bcher-kva.nl"),
        ("anna@example.amsterdam", "anna@example.amsterdam"),
    ],
)
def test_plain_addresses_are_accepted_as_mail_is_delivered(written: str, text: str) -> None:
    assert EmailAddress.parse(written).text == text


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        "anna",
        "anna@",
        "@example.com",
        "anna@@example.com",
        "anna@bert@example.com",
        "anna.@example.com",
        ".anna@example.com",
        "an..na@example.com",
        "an na@example.com",
        "anna@example",
        "anna@localhost",
        "anna@example..com",
        "anna@.example.com",
        "anna@example.com.",
        "anna@-example.com",
        "anna@exa_mple.com",
        "anna@exam ple.com",
        "anna@example.test",
        "anna@example.invalid",
        "anna@example.local",
        "anna@[192.0.2.1]",
        "anna@[IPv6:2001:db8::1]",
        "anna@192.0.2.1",
        "anna(comment)@example.com",
        "(comment)anna@example.com",
        "anna@example.com(comment)",
        '"anna"@example.com',
        '"an na"@example.com',
        '"anna@work"@example.com',
        "Anna <anna@example.com>",
        "<anna@example.com>",
        "anna@example.com, bert@example.com",
        "anna@example.com;bert@example.com",
        "mailto:anna@example.com",
        "anna@example.com\n",
        "\nanna@example.com",
        "anna@example.com\r\nBcc: bert@example.com",
        "an\nna@example.com",
        "an\0na@example.com",
        "anna@exam\nple.com",
        "anna\u2028@example.com",
        "anna@example.com\u00a0",
        "\u202eanna@example.com",
        "anna\u200b@example.com",
        "ännä@example.com",
        "\udc80@example.com",
        "anna@\udc80.com",
        "x" * 65 + "@example.com",
        "anna@" + "x" * 64 + ".com",
        "anna@" + "x." * 130 + "com",
        LONGEST_LOCAL + "@" + ".".join(["x" * 60] * 4) + ".com",
        "x" * 100_000,
        "@" * 10_000,
        "anna@" + "ü" * 10_000 + ".nl",
    ],
)
def test_what_is_no_plain_address_is_refused(written: str) -> None:
    with pytest.raises(Invalid) as caught:
        EmailAddress.parse(written)
    assert caught.value == Invalid(Problem.INVALID_ADDRESS, "email")


@pytest.mark.parametrize("value", [None, 5, True, b"anna@example.com", ["anna@example.com"]])
def test_only_a_text_is_an_address(value: Any) -> None:
    with pytest.raises(Invalid) as caught:
        EmailAddress.parse(value)
    assert caught.value == Invalid(Problem.WRONG_TYPE, "email")


@given(st.text() | st.text("abc@.\"()<>[]\\\r\n ,;:'ß\u212aİ", max_size=30))
def test_whatever_is_written_it_is_an_ascii_address_on_one_line_or_refused(written: str) -> None:
    try:
        address = EmailAddress.parse(written)
    except Invalid:
        return
    assert address.text.isascii()
    assert address.text.isprintable()
    assert not set(' "()<>[]\\,;:') & set(address.text)
    assert EmailAddress.parse(address.text) == address


near_addresses = st.builds(
    lambda local, labels, end, blanks: f"{blanks}{local}@{'.'.join(labels)}.{end}",
    st.one_of(
        st.from_regex(r"[a-z0-9_.+-]{1,8}", fullmatch=True),
        st.from_regex(r"[A-Za-z'!]{1,3}", fullmatch=True),
        st.integers(62, 67).map(lambda length: "x" * length),
    ),
    st.lists(
        st.one_of(
            st.from_regex(r"[a-z0-9_-]{0,6}", fullmatch=True),
            st.sampled_from(
                ["xn--bcher-kva", "xn--", "ab--cd", "A", "local", "example", "1", "x" * 62, "x" * 63, "x" * 64]
            ),
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(
        ["nl", "com", "n", "c0m", "123", "test", "local", "arpa", "onion", "COM", "xn--p1ai", "x" * 63, "x" * 64]
    ),
    st.sampled_from(["", " ", "\n"]),
)


@given(near_addresses)
def test_the_short_way_for_ordinary_addresses_comes_to_the_librarys_result(written: str) -> None:
    try:
        valid = validate_email(written.strip(" \t"), check_deliverability=False, allow_smtputf8=False, strict=True)
    except EmailNotValidError:
        with pytest.raises(Invalid):
            EmailAddress.parse(written)
    else:
        assert EmailAddress.parse(written).text == f"{valid.local_part}@{valid.ascii_domain}"


@given(near_addresses)
def test_the_service_writes_from_every_address_that_a_customer_may_have_and_from_no_other(written: str) -> None:
    try:
        address = EmailAddress.parse(written)
    except Invalid:
        with pytest.raises(Invalid):
            SenderAddress.parse(written)
    else:
        assert SenderAddress.parse(written).text == address.text


@pytest.mark.parametrize(
    ("written", "text"),
    [("invitations@localhost", "invitations@localhost"), (" O'Brien+shop@LocalHost\t", "O'Brien+shop@localhost")],
)
def test_for_trials_the_service_writes_from_localhost(written: str, text: str) -> None:
    sender = SenderAddress.parse(written)
    assert (sender.text, sender.domain) == (text, "localhost")


@given(st.from_regex(r"[a-z.+'\"@<> -]{0,6}", fullmatch=True) | st.integers(63, 66).map(lambda length: "x" * length))
def test_at_localhost_the_library_decides_on_the_rest(local_part: str) -> None:
    try:
        local = EmailAddress.parse(f"{local_part}@example.com").text.rpartition("@")[0]
    except Invalid:
        with pytest.raises(Invalid):
            SenderAddress.parse(f"{local_part}@localhost")
    else:
        assert SenderAddress.parse(f"{local_part}@localhost").text == f"{local}@localhost"


def test_an_address_never_shows() -> None:
    address = EmailAddress.parse("anna@example.com")
    for shown in (repr(address), str(address), f"{address}", f"{[address]}", f"{address!r}"):
        assert "anna" not in shown
        assert "example" not in shown


def test_a_refusal_does_not_show_the_address_either() -> None:
    with pytest.raises(Invalid) as caught:
        EmailAddress.parse("anna smith@example.com")
    assert "anna" not in f"{caught.value} {caught.value!r}"
