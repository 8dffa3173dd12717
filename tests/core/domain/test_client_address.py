"""Whose request it is: nobody counts as several clients, and nobody counts as somebody else. Spec: §8."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given, strategies as st
from tests.client_addresses import spoofed_forms

from reviewinvite_core.domain.client_address import NOWHERE, ClientAddress, TrustedProxies

PROXY = "10.0.0.1"
PROXIES = TrustedProxies.parse("10.0.0.0/8 2001:db8:ffff::/48")
ATTACKER = ClientAddress("203.0.113.9")


def client(*lines: str, peer: str | None = PROXY) -> str:
    return PROXIES.client(peer, lines).text


def test_without_trusted_proxies_the_header_is_of_no_account() -> None:
    assert TrustedProxies().client("203.0.113.9", ["198.51.100.1"]) == ATTACKER
    assert TrustedProxies().client("10.0.0.1", ["198.51.100.1"]).text == "10.0.0.1"


def test_a_peer_that_is_no_trusted_proxy_counts_itself_whatever_it_says() -> None:
    assert client("198.51.100.1", peer="203.0.113.9") == "203.0.113.9"


def test_the_last_hop_that_is_no_trusted_proxy_counts() -> None:
    assert client("198.51.100.1, 203.0.113.9") == "203.0.113.9"
    assert client("198.51.100.1, 203.0.113.9, 10.0.0.7, 10.0.0.8") == "203.0.113.9"


def test_several_lines_are_one_list() -> None:
    assert client("198.51.100.1", "203.0.113.9, 10.0.0.7", "10.0.0.8") == "203.0.113.9"


def test_where_all_hops_are_trusted_the_first_of_them_counts() -> None:
    assert client("10.0.0.3, 10.0.0.2") == "10.0.0.3"
    assert client() == PROXY


@pytest.mark.parametrize("junk", ["", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "::g", "[::1", "a:b", "'::1'", "²"])
def test_after_junk_from_a_trusted_proxy_the_nearest_hop_that_could_be_read_counts(junk: str) -> None:
    assert client(f"203.0.113.9, {junk}") == PROXY
    assert client(f"203.0.113.9, {junk}, 10.0.0.8") == "10.0.0.8"


@pytest.mark.parametrize(
    ("hop", "counts_as"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("203.0.113.9:4711", "203.0.113.9"),
        ("\t203.0.113.9 ", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("::FFFF:cb00:7109", "203.0.113.9"),
        ("[::ffff:203.0.113.9]:4711", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:4711", "2001:db8:1:2::/64"),
        ("fe80::9%eth0", "fe80::/64"),
        ("[fe80::9%25eth0]:80", "fe80::/64"),
    ],
)
def test_an_address_counts_alike_however_it_is_written(hop: str, counts_as: str) -> None:
    assert client(hop) == counts_as


@pytest.mark.parametrize(
    "wrong", ["203.0.113.9:x", "203.0.113.9:²", "203.0.113.9%1", "[203.0.113.9]", "[::1]x", "[::1]:x", "[::1]:", "::1]"]
)
def test_a_hop_with_more_than_an_address_and_a_port_is_junk(wrong: str) -> None:
    assert client(wrong) == PROXY


def test_addresses_of_one_ipv6_site_are_one_client_and_those_of_two_are_two() -> None:
    assert client("2001:db8:1:2::1") == client("2001:db8:1:2:ffff:ffff:ffff:ffff")
    assert client("2001:db8:1:2::1") != client("2001:db8:1:3::1")
    assert client("203.0.113.9") != client("203.0.113.10")


@pytest.mark.parametrize(
    ("address", "customer"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:200::1", "2001:db8:1:200::/56"),
        ("2001:db8:1:2ff::1", "2001:db8:1:200::/56"),
        ("2001:db8:1:300::1", "2001:db8:1:300::/56"),
    ],
)
def test_a_share_is_one_of_a_provider_s_customer(address: str, customer: str) -> None:
    assert ClientAddress.of(ip_address(address)).customer.text == customer
    assert NOWHERE.customer == NOWHERE


def test_a_mapped_proxy_is_trusted_as_the_one_it_is() -> None:
    assert client("203.0.113.9", peer="::ffff:10.0.0.1") == "203.0.113.9"
    assert TrustedProxies.parse("::ffff:10.0.0.0/104").client("10.0.0.1", ["203.0.113.9"]) == ATTACKER
    assert client("203.0.113.9", peer="2001:db8:ffff::1") == "203.0.113.9"


@pytest.mark.parametrize("peer", [None, "", "/run/reviewinvite.sock"])
def test_a_peer_without_an_ip_address_is_believed_nothing_and_counts_as_one_client(peer: str | None) -> None:
    assert PROXIES.client(peer, ["203.0.113.9"]) == NOWHERE


def test_ten_thousand_spoofed_headers_are_one_client() -> None:
    forms = spoofed_forms()
    assert {PROXIES.client(PROXY, form) for form in forms} == {ATTACKER}
    assert {TrustedProxies().client(ATTACKER.text, form) for form in forms} == {ATTACKER}


@given(st.lists(st.text(), max_size=4), st.text() | st.none())
def test_whatever_comes_there_is_a_client(lines: list[str], peer: str | None) -> None:
    assert PROXIES.client(peer, lines).hash(bytes(32))
    assert PROXIES.client(PROXY, lines).hash(bytes(32))


@given(st.lists(st.text(), max_size=4))
def test_no_line_changes_whose_request_it_is_that_the_proxy_has_named(lines: list[str]) -> None:
    assert PROXIES.client(PROXY, [*lines, "203.0.113.9"]) == ATTACKER


def test_the_address_is_told_by_no_representation() -> None:
    assert "203" not in f"{ATTACKER!r} {ATTACKER}"


def test_the_hash_depends_on_address_and_key_and_tells_neither() -> None:
    hashes = {
        ClientAddress(text).hash(key) for text in ("203.0.113.9", "203.0.113.10") for key in (bytes(32), b"k" * 32)
    }
    assert len(hashes) == 4
    assert {len(each) for each in hashes} == {16}


def test_two_requests_of_one_client_share_a_lock() -> None:
    assert ClientAddress("203.0.113.9").lock == ATTACKER.lock != ClientAddress("203.0.113.10").lock


@pytest.mark.parametrize("wrong", ["proxy.example.nl", "10.0.0.1/8", "10.0.0.0/33"])
def test_a_proxy_that_is_no_address_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"network|host bits|IP"):
        TrustedProxies.parse(wrong)
