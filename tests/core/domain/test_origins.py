"""Hosts of shops, and where browsers say that requests come from."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.origins import HostName, all_covering, covering, host_of_origin, hosts_in

VERIFIED = HostName.parse("shop.nl")
IDN = HostName.parse("Bäckerei.example")

LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True).filter(
    lambda label: not label.startswith("xn--") and not label.isdigit() and not label.startswith("0x")
)
HOSTS = st.lists(LABELS, min_size=2, max_size=5).map(".".join)


def is_accepted(origin: str | None, verified: HostName = VERIFIED) -> bool:
    """Whether a request from there counts as the shop's own."""
    host = host_of_origin(origin)
    return host is not None and verified.text in covering(host)


@pytest.mark.parametrize(
    ("origin", "verified"),
    [
        ("https://shop.nl", VERIFIED),
        ("https://www.shop.nl", VERIFIED),
        ("https://SHOP.nl", VERIFIED),
        ("HTTPS://Www.Shop.NL", VERIFIED),
        ("https://shop.nl.", VERIFIED),
        ("https://www.shop.nl.", VERIFIED),
        ("https://xn--bckerei-5wa.example", IDN),
        ("https://www.XN--bckerei-5wa.example", IDN),
    ],
)
def test_these_origins_are_the_shops_own(origin: str, verified: HostName) -> None:
    assert is_accepted(origin, verified)


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil-shop.nl",
        "https://evilshop.nl",
        "https://shop.nl.evil",
        "https://shop.nl.evil.com",
        "https://shop.nl..",
        "https://.",
        "https://shop.nl.:443",
        "https://shop.nl./",
        "https://.shop.nl",
        "https://kassa.shop.nl",
        "https://www.www.shop.nl",
        "https://wwwshop.nl",
        "https://nl",
        "https://shop.nl:443",
        "https://shop.nl:8443",
        "https://shop.nl:",
        "http://shop.nl",
        "ftp://shop.nl",
        "imaps://shop.nl",
        "http:///shop.nl",
        "shop.nl",
        "//shop.nl",
        "null",
        "",
        None,
        "https://",
        "https://shop.nl, https://shop.nl",
        "https://shop.nl,https://evil.nl",
        "https://shop.nl https://evil.nl",
        "https://user@shop.nl",
        "https://user:password@shop.nl",
        "https://evil.nl@shop.nl",
        "https://shop.nl/",
        "https://shop.nl/path",
        "https://shop.nl?x",
        "https://shop.nl#x",
        "https://shop.nl\\",
        "https://shop.nl\n",
        " https://shop.nl",
        "https://shop.nl ",
        "https:// shop.nl",
        "https://shop%2enl",
        "https://shop。nl",
        "https://\u017fhop.nl",  # its upper case is that of s
        "https://127.0.0.1",
        "https://[::1]",
        "https://" + "a" * 64 + ".shop.nl",
        "https://" + "a." * 150 + "nl",
    ],
)
def test_these_origins_are_foreign(origin: str | None) -> None:
    assert not is_accepted(origin)


def test_a_letter_whose_lower_case_is_ascii_is_foreign() -> None:
    assert "\u212aaas.nl".lower() == "kaas.nl"
    assert not is_accepted("https://\u212aaas.nl", HostName.parse("kaas.nl"))


def test_the_unicode_form_of_an_origin_is_foreign_as_no_browser_sends_it() -> None:
    assert not is_accepted("https://bäckerei.example", IDN)


@given(HOSTS)
def test_a_verified_host_covers_itself_and_www_before_it(host: str) -> None:
    verified = HostName.parse(host)
    assert is_accepted(f"https://{host}", verified)
    assert is_accepted(f"https://www.{host}".upper(), verified)
    assert verified.covered == {host, f"www.{host}"}


@given(HOSTS, HOSTS)
def test_no_other_host_is_covered(host: str, other: str) -> None:
    if other not in HostName.parse(host).covered:
        assert not is_accepted(f"https://{other}", HostName.parse(host))


@given(HOSTS, st.text(max_size=8))
def test_whatever_follows_a_host_makes_another_of_it(host: str, rest: str) -> None:
    origin = f"https://{host}{rest}"
    assert is_accepted(origin, HostName.parse(host)) == (rest in {"", "."})


@given(st.text() | st.text(alphabet="hHtTpPsS:/.aZ0-@").map("https://{}".format))
def test_any_header_is_read_without_an_error(header: str) -> None:
    host = host_of_origin(header)
    assert host is None or header.lower().removesuffix(".") == f"https://{host}"


@pytest.mark.parametrize(
    ("host", "apex"),
    [
        ("www.shop.nl", "shop.nl"),
        ("www.shop.co.uk", "shop.co.uk"),
        ("shop.nl", None),
        ("my.www.nl", None),
        ("www.nl", None),
    ],
)
def test_the_apex_is_the_host_that_would_cover_www_too(host: str, apex: str | None) -> None:
    found = HostName.parse(host).apex
    assert (found.text if found else None) == apex
    assert found is None or host in found.covered


@given(HOSTS, HOSTS)
def test_two_hosts_are_rivals_where_one_request_could_come_from_both(one: str, other: str) -> None:
    first, second = HostName.parse(one), HostName.parse(other)
    assert (second.text in first.rivals) == bool(first.covered & second.covered)
    assert (second.text in first.rivals) == (first.text in second.rivals)


@pytest.mark.parametrize("other", ["shop.nl", "www.shop.nl"])
def test_a_host_and_www_before_it_are_rivals(other: str) -> None:
    assert other in HostName.parse("shop.nl").rivals
    assert other in HostName.parse("www.shop.nl").rivals
    assert "www.www.shop.nl" not in HostName.parse("shop.nl").rivals
    assert "www.www.shop.nl" in HostName.parse("www.shop.nl").rivals


def test_many_hosts_have_all_that_cover_them() -> None:
    assert set(all_covering(["www.a.nl", "b.nl"])) == {"www.a.nl", "a.nl", "b.nl"}


@pytest.mark.parametrize(
    ("given_", "host"),
    [
        ("shop.nl", "shop.nl"),
        (" \tShop.NL ", "shop.nl"),
        ("Bäckerei.example", "xn--bckerei-5wa.example"),
        ("XN--BCKEREI-5WA.example", "xn--bckerei-5wa.example"),
        ("faß.example", "xn--fa-hia.example"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("a" * 63 + ".nl", "a" * 63 + ".nl"),
        ("1.nl", "1.nl"),
    ],
)
def test_a_host_is_kept_in_lower_case_a_labels(given_: str, host: str) -> None:
    assert HostName.parse(given_).text == host
    assert str(HostName.parse(given_)) == host


@given(HOSTS)
def test_a_parsed_host_parses_to_itself(host: str) -> None:
    assert HostName.parse(HostName.parse(host.upper()).text).text == host


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ".", "nl", "localhost", "shop..nl", ".shop.nl", "shop.nl..", "-shop.nl", "shop-.nl", "sh_op.nl"),
        *(
            "https://shop.nl",
            "shop.nl/",
            "shop.nl:443",
            "user@shop.nl",
            "*.shop.nl",
            "shop nl",
            "shop.nl\n",
            "sh\0p.nl",
        ),
        *("127.0.0.1", "1.2.3", "2130706433", "0x7f.1", "1.2.3.0x4", "shop.0x", "[::1]", "::1", "fe80::1%eth0"),
        *(
            "a" * 64 + ".nl",
            "a." * 127 + "nl",
            "xn--a.nl",
            "xn--\u0660.nl",
            "\ud800.nl",
            "\u202e.nl",
            "a\u200b.nl." + "b" * 64,
        ),
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        HostName.parse(text)
    assert (refused.value.problem, refused.value.field) == (Problem.NOT_A_HOST, "host")


@pytest.mark.parametrize("text", ["shop.nl.", " SHOP.nl. ", "shop.nl"])
def test_one_dot_at_the_end_names_the_same_host(text: str) -> None:
    assert HostName.parse(text) == HostName("shop.nl")


@given(st.text())
def test_any_text_is_a_host_or_refused(text: str) -> None:
    try:
        host = HostName.parse(text)
    except Invalid:
        return
    assert host.text.isascii()
    assert host.text == host.text.lower()
    assert 3 <= len(host.text) <= 253


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("shop.example.nl", "shop.example.nl"),
        ("ü.nl", "ü.nl"),
        ("www.bücher.example", "www.bücher.example"),
        ("пример.рф", "пример.рф"),
        ("xn--80ak6aa92e.com", "xn--80ak6aa92e.com"),  # Cyrillic letters that look like "apple"
        ("xn--paypl-7ve.com", "xn--paypl-7ve.com"),  # one of them in a Latin word
    ],
)
def test_a_host_is_shown_as_people_write_it_unless_it_mixes_scripts(host: str, shown: str) -> None:
    assert HostName.parse(host).shown == shown


def test_a_label_that_is_no_idna_is_shown_as_it_is() -> None:
    assert HostName("xn--a.nl").shown == "xn--a.nl"


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("Bakkerij De Molen B.V.", []),
        ("Dr. J.P. Jansen, sinds 1990. Café 2.0", []),
        ("Bol.com", ["bol.com"]),
        ("De Molen (www.Molen.example/brood), 1.1.1.1", ["1.1.1.1", "www.molen.example"]),
        ("\uff45\uff56\uff49\uff4c\uff0e\uff43\uff4f\uff4d evil。com evil｡com.", ["evil.com"] * 3),
        ("пример.рф xn--e1afmkfd.xn--p1ai", ["пример.рф", "xn--e1afmkfd.xn--p1ai"]),
        ("उदाहरण.परीक्षा", ["उदाहरण.परीक्षा"]),
        ("evil.com-shop evil.com1 evil.com.1", ["evil.com-shop", "evil.com.1"]),
    ],
)
def test_what_reads_as_a_host_is_found_in_a_text(text: str, hosts: list[str]) -> None:
    assert hosts_in(text) == hosts


@given(HOSTS.filter(lambda host: host.rpartition(".")[2].isalpha() and len(host.rpartition(".")[2]) > 1))
def test_every_host_is_found_wherever_it_stands(host: str) -> None:
    for text in (host, f"De Molen ({host})", f"https:{host}/a", f"“{host.upper()}”!"):
        assert hosts_in(text) == [host]
