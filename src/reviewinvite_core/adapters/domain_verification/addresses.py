"""Public addresses: for a host named by somebody else, we connect to no other address. ADR-22."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

# IANA's registries of special-purpose addresses, and what clouds reserve for their own machines. `is_global` differs
# between releases of Python, so all that must never be connected to is listed here explicitly. What a registry calls
# globally reachable is listed, too: such addresses belong to the nearest machine, which may be in our own network.
_NOT_PUBLIC_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a provider's NAT, including Alibaba's metadata service
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's metadata, the only such service that is not in one of the other networks
        "169.254.0.0/16",  # link-local, including the metadata service of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT relays
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
# All of today's global unicast. It excludes ::1, mapped and compatible IPv4, NAT64 (64:ff9b::/96, 64:ff9b:1::/48),
# discard (100::/64), segment routing (5f00::/16), unique local (with the metadata services of AWS and Google),
# link-local, site-local and multicast addresses.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, which holds IPv4 addresses, ORCHID, benchmarks, anycast
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which holds IPv4 addresses
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)


def is_public(address: Address) -> bool:
    """Return whether the address belongs to one machine on the public Internet and embeds no other address."""
    if isinstance(address, IPv4Address):
        return address.is_global and not _is_in(address, _NOT_PUBLIC_4)
    return address in _GLOBAL_UNICAST and not _is_in(address, _NOT_PUBLIC_6) and address.scope_id is None


def _is_in(address: Address, networks: Iterable[IPv4Network | IPv6Network]) -> bool:
    return any(address in network for network in networks)
