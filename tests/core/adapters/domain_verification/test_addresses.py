"""Which addresses are public."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given, strategies as st
from tests.core.adapters.domain_verification.samples import IANA_REGISTRIES, NOT_PUBLIC

from reviewinvite_core.adapters.domain_verification.addresses import is_public


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_these_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("block", IANA_REGISTRIES.split())
def test_no_address_of_a_special_purpose_is_public(block: str) -> None:
    network = ip_network(block)
    middle = network[network.num_addresses // 2]
    assert not any(is_public(each) for each in (network[0], middle, network[-1]))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "9.9.9.9",
        "93.184.216.34",
        "100.63.0.1",
        "168.63.129.15",
        "168.63.129.17",
        "100.128.0.1",
        "172.32.0.1",
        "223.255.255.1",
        "2a00:1450:4001::1",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "2400::1",
    ],
)
def test_these_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@given(st.integers(0, 2**32 - 1))
def test_no_ipv4_address_is_public_in_the_clothes_of_ipv6(number: int) -> None:
    inside = int(IPv4Address(number))
    for prefix, shift in (
        ("::", 0),
        ("::ffff:0:0", 0),
        ("::ffff:0:0:0", 0),
        ("64:ff9b::", 0),
        ("2002::", 80),
        ("2001::", 64),
    ):
        assert not is_public(IPv6Address(int(IPv6Address(prefix)) | inside << shift))


@given(st.ip_addresses())
def test_what_is_public_is_global_and_of_one_machine(address: IPv4Address | IPv6Address) -> None:
    if is_public(address):
        assert address.is_global
        others = ("private", "multicast", "reserved", "link_local", "loopback", "unspecified")
        assert [other for other in others if getattr(address, f"is_{other}")] == []
