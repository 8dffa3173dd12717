"""A name server on this machine with scripted answers, over UDP and TCP."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeAlias

import dns.flags
import dns.message
import dns.rcode
import dns.resolver
import dns.rrset

Answer: TypeAlias = Callable[[dns.message.Message, bool], "bytes | None"]
"""The bytes with which a question is answered, over UDP or (where the second is true) TCP; None for silence."""


def records(*records: str, name: str | None = None) -> Answer:
    """These records, as `A 192.0.2.1` or `TXT "..."`; of the name asked for unless told otherwise."""

    def answer(query: dns.message.Message, tcp: bool) -> bytes | None:
        owner = name or query.question[0].name.to_text()
        return zone(*(f"{owner} {record}" for record in records))(query, tcp)

    return answer


def zone(*lines: str) -> Answer:
    """These records of any names, as `shop.example.nl. A 192.0.2.1`; cut off over UDP where they are too many."""

    def answer(query: dns.message.Message, tcp: bool) -> bytes:
        response = dns.message.make_response(query)
        for line in lines:
            owner, kind, value = line.split(" ", 2)
            response.answer.append(dns.rrset.from_text(owner, 60, "IN", kind, value))
        wire = response.to_wire(max_size=65535)
        return wire if tcp or len(wire) <= 1200 else always_truncated(query, tcp)

    return answer


def code(rcode: dns.rcode.Rcode) -> Answer:
    """No record, and this code: NXDOMAIN, SERVFAIL."""

    def answer(query: dns.message.Message, tcp: bool) -> bytes:
        response = dns.message.make_response(query)
        response.set_rcode(rcode)
        return response.to_wire()

    return answer


def silence(query: dns.message.Message, tcp: bool) -> None:
    """No answer, not in 5 minutes either."""


def garbage(query: dns.message.Message, tcp: bool) -> bytes:
    """Return bytes that are not a DNS response."""
    return query.to_wire()[:2] + b"\x81\x80" + b"\xff" * 40


def cut_off(answer: Answer) -> Answer:
    """The same, with its last bytes missing."""

    def cut(query: dns.message.Message, tcp: bool) -> bytes:
        return (answer(query, tcp) or b"")[:-5]

    return cut


def with_wrong_id(answer: Answer) -> Answer:
    """The same, to another question."""

    def wrong(query: dns.message.Message, tcp: bool) -> bytes:
        content = answer(query, tcp) or b""
        return struct.pack("!H", (query.id + 1) % 65536) + content[2:]

    return wrong


def always_truncated(query: dns.message.Message, tcp: bool) -> bytes:
    """Cut off, over TCP too."""
    response = dns.message.make_response(query)
    response.flags |= dns.flags.TC
    return response.to_wire()


class DnsServer:
    """Gives the answers of each name and type in turn, then repeats the last; NXDOMAIN for all other names."""

    def __init__(self, udp: socket.socket, tcp: socket.socket) -> None:
        self._udp, self._tcp = udp, tcp
        self.port: int = udp.getsockname()[1]
        self.asked: list[tuple[str, str]] = []
        self._answers: dict[tuple[str, str], list[Answer]] = {}

    def answers(self, name: str, kind: str, *answers: Answer) -> None:
        self._answers[name, kind] = list(answers)

    def resolver(self) -> dns.resolver.Resolver:
        """A resolver that asks here, and nobody else."""
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        resolver.port = self.port
        return resolver

    def _answer(self, wire: bytes, *, tcp: bool) -> bytes | None:
        query = dns.message.from_wire(wire)
        [question] = query.question
        asked = (question.name.to_text(omit_final_dot=True), dns.rdatatype.to_text(question.rdtype))
        self.asked.append(asked)
        answers = self._answers.get(asked) or [code(dns.rcode.NXDOMAIN)]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return answer(query, tcp)

    def serve_udp(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                wire, address = self._udp.recvfrom(65535)
                if not wire:
                    return
                if answer := self._answer(wire, tcp=False):
                    self._udp.sendto(answer, address)

    def serve_tcp(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._tcp.accept()
                with connection, suppress(OSError, struct.error):
                    connection.settimeout(60)
                    (size,) = struct.unpack("!H", connection.recv(2, socket.MSG_WAITALL))
                    answer = self._answer(connection.recv(size, socket.MSG_WAITALL), tcp=True)
                    if answer:
                        connection.sendall(struct.pack("!H", len(answer)) + answer)


@contextmanager
def running() -> Iterator[DnsServer]:
    """One on a free port, until the block ends."""
    udp, tcp = _one_port()
    with udp, tcp:
        server = DnsServer(udp, tcp)
        threads: Sequence[threading.Thread] = [
            threading.Thread(target=serve, daemon=True) for serve in (server.serve_udp, server.serve_tcp)
        ]
        for thread in threads:
            thread.start()
        try:
            yield server
        finally:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
                waker.sendto(b"", ("127.0.0.1", server.port))
            tcp.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(10)


def _one_port() -> tuple[socket.socket, socket.socket]:
    """A UDP and a TCP socket on one port that is free for both."""
    while True:
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        tcp = socket.socket()
        try:
            tcp.bind(udp.getsockname())
        except OSError:
            udp.close()
            tcp.close()
            continue
        tcp.listen()
        return udp, tcp
