"""Which client a request comes from, as far as limits go: its IP address, or the network that it can choose one from.

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

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

HASH_BYTES = 16

_BITS_OF_A_SITE = 64  # what one IPv6 connection gets at least: any address in it is at its owner's choice
_MAPPED = IPv6Network("::ffff:0:0/96")
_UNKNOWN = "unknown"


@attrs.frozen(repr=False)
class ClientAddress:
    """What counts as one client: an IPv4 address, or 64 bits of an IPv6 address. Neither `repr` nor `str` shows it."""

    text: str

    @classmethod
    def of(cls, address: Address) -> Self:
        """The client at this address; the port, and an IPv6 zone, do not matter."""
        if isinstance(address, IPv4Address):
            return cls(str(address))
        site = int(address) >> (128 - _BITS_OF_A_SITE)
        return cls(f"{IPv6Address(site << (128 - _BITS_OF_A_SITE))}/{_BITS_OF_A_SITE}")

    def hash(self, key: bytes) -> bytes:
        """The keyed hash (16 bytes) under which it is counted, so that no database and no backup shows an IP address.

        `key` is the ring's for addresses; what is hashed with it for another purpose gives another hash.
        """
        text = self.text.encode("ascii")
        return hashlib.blake2b(text, key=key, person=b"reviewinvite ip", digest_size=HASH_BYTES).digest()

    @property
    def lock(self) -> int:
        """The lock of this client's requests."""
        return lock_id(LockKind.CLIENT, self.text)

    def __repr__(self) -> str:
        return "ClientAddress(...)"

    __str__ = __repr__


NOWHERE = ClientAddress(_UNKNOWN)
"""All clients of a peer that has no IP address, a Unix socket: they count as one."""


@attrs.frozen
class TrustedProxies:
    """The proxies whose `X-Forwarded-For` is believed, as the operator named them."""

    networks: tuple[Network, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """The addresses and networks in `text`, with blanks between them.

        Raises: `ValueError`.
        """
        return cls(tuple(_as_ipv4(ip_network(each)) for each in text.split()))

    def client(self, peer: str | None, forwarded_for: Sequence[str] = ()) -> ClientAddress:
        """Whose request it is that came from the address `peer` with these `X-Forwarded-For` lines.

        The lines are read from their end, where each proxy adds who came to it: the first hop that is no trusted
        proxy is the client. What stands before it anybody may have written. Where a trusted proxy wrote no address,
        or none but trusted ones are there, the last hop that could be read counts.
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
    """The hops of all lines, the last one first. A line may have 64 KiB, and its first hop is hardly ever asked for."""
    for line in reversed(lines):
        end = len(line)
        while end >= 0:
            comma = line.rfind(",", 0, end)
            yield line[comma + 1 : end].strip(" \t")
            end = comma


@lru_cache(maxsize=1024)  # the same few proxies, above all
def _address(text: str) -> Address | None:
    """The address in `text`, a port and an IPv6 zone aside; an IPv4-mapped one is IPv4. None for anything else."""
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
    """An IPv4-mapped network as what it stands for, since addresses are compared as such."""
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        return IPv4Network((int(network.network_address) & 0xFFFF_FFFF, network.prefixlen - 96))
    return network
