"""The client that a request counts against: its IP address, or the network from which it can choose one.

Spec: §8 (IP addresses), ADR-23.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self, TypeAlias

import attrs

from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.policy import BITS_OF_A_CUSTOMER, BITS_OF_A_SITE

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

HASH_BYTES = 16

_END_OF_A_SITE = f"/{BITS_OF_A_SITE}"
_MAPPED = IPv6Network("::ffff:0:0/96")
_UNKNOWN = "unknown"


@attrs.frozen(repr=False)
class ClientAddress:
    """A client for the purpose of limits: an IPv4 address or an IPv6 /64. Neither `repr` nor `str` shows it."""

    text: str

    @classmethod
    def of(cls, address: Address) -> Self:
        """Return the client at this address, ignoring an IPv6 zone."""
        if isinstance(address, IPv4Address):
            return cls(str(address))
        return cls(_network(address, BITS_OF_A_SITE))

    @property
    def customer(self) -> ClientAddress:
        """The client for the purpose of a day's shares: an IPv6 /56 in place of its /64. Spec: §8 (Fair shares)."""
        if not self.text.endswith(_END_OF_A_SITE):
            return self
        return ClientAddress(_network(IPv6Address(self.text.removesuffix(_END_OF_A_SITE)), BITS_OF_A_CUSTOMER))

    def hash(self, key: bytes) -> bytes:
        """Return the keyed hash (16 bytes) to count under, so that no database or backup contains an IP address.

        `key` is the key ring's key for addresses. The hash is specific to this purpose: other hashes under the same key
        differ.
        """
        text = self.text.encode("ascii")
        return hashlib.blake2b(text, key=key, person=b"reviewinvite ip", digest_size=HASH_BYTES).digest()

    @property
    def lock(self) -> int:
        """Lock of this client's requests."""
        return lock_id(LockKind.CLIENT, self.text)

    def __repr__(self) -> str:
        return "ClientAddress(...)"

    __str__ = __repr__


def _network(address: IPv6Address, bits: int) -> str:
    return f"{IPv6Address(int(address) >> (128 - bits) << (128 - bits))}/{bits}"


NOWHERE = ClientAddress(_UNKNOWN)
"""Stands for all clients whose peer has no IP address, such as a Unix socket; they count as one client."""


@attrs.frozen
class TrustedProxies:
    """The proxies, configured by the operator, whose `X-Forwarded-For` is trusted."""

    networks: tuple[Network, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse addresses and networks separated by blanks.

        Raises: `ValueError`.
        """
        return cls(tuple(_as_ipv4(ip_network(each)) for each in text.split()))

    def client(self, peer: str | None, forwarded_for: Sequence[str] = ()) -> ClientAddress:
        """Return the client behind a request from the address `peer` with these `X-Forwarded-For` lines.

        Each proxy appends the address that connected to it, so the lines are read from the end: the first hop that is
        not a trusted proxy is the client. Anything before it may be forged. If a trusted proxy wrote no
        address, or all hops are trusted, the last readable hop counts.
        """
        nearest = _address(peer) if peer else None
        if nearest is None:
            return NOWHERE
        if self._trusts(nearest):
            for hop in _from_the_end(forwarded_for):
                address = _address(hop)
                if address is None:
                    break
                nearest = address
                if not self._trusts(address):
                    break
        return ClientAddress.of(nearest)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self.networks)


def _from_the_end(lines: Sequence[str]) -> Iterator[str]:
    """Yield the hops of all lines, last first; lazily, as a line may have 64 KiB and the first hop is rarely needed."""
    for line in reversed(lines):
        end = len(line)
        while end >= 0:
            comma = line.rfind(",", 0, end)
            yield line[comma + 1 : end].strip(" \t")
            end = comma


@lru_cache(maxsize=1024)  # mostly the same few proxies
def _address(text: str) -> Address | None:
    """Parse an address, ignoring a port and an IPv6 zone; return None for other text, IPv4 for an IPv4-mapped one."""
    host, port = text, ""
    if text.startswith("["):
        host, bracket, port = text[1:].partition("]")
        if not bracket or ":" not in host or (port and not port.startswith(":")):
            return None
        port = port[1:] if len(port) > 1 else port
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return None
    try:
        address = ip_address(host.partition("%")[0] if ":" in host else host)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _as_ipv4(network: Network) -> Network:
    """Return an IPv4-mapped network as IPv4, because addresses are compared in that form."""
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        return IPv4Network((int(network.network_address) & 0xFFFF_FFFF, network.prefixlen - 96))
    return network
