"""The proof at the host itself: real TLS servers, and name servers that give false addresses."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address

import dns.rcode
import pytest
from tests.budgets import in_full
from tests.builders import a_domain
from tests.core.adapters.domain_verification import web_host
from tests.core.adapters.domain_verification.dns_server import Answer, DnsServer, code, garbage, records, silence, zone
from tests.core.adapters.domain_verification.samples import NOT_PUBLIC
from tests.core.adapters.domain_verification.web_host import (
    CertificateAuthority,
    Handler,
    answering,
    request_of,
    response,
)

from reviewinvite_core.adapters.domain_verification import AnyOfVerifier
from reviewinvite_core.adapters.domain_verification.addresses import Address
from reviewinvite_core.adapters.domain_verification.dns_txt import DnsTxtVerifier
from reviewinvite_core.adapters.domain_verification.http_file import HttpFileVerifier
from reviewinvite_core.domain.domains import FailureReason, ProofWay, VerificationResult

DOMAIN = a_domain()
HOST, PROOF = DOMAIN.host.text, DOMAIN.proof
OTHER = "reviewinvite-verification=another"
FOUND = VerificationResult(found=ProofWay.WELL_KNOWN)
PUBLIC, ALSO_PUBLIC, PUBLIC_6 = "93.184.216.34", "93.184.216.35", "2606:4700::1111"
PATIENT, SHORT = 60.0, 0.4
BOUND = 60.0  # far more than is asked for, and far less than what the other side would take
NEVER = 3600


def absent(why: FailureReason) -> VerificationResult:
    return VerificationResult(found=None, absences=((ProofWay.WELL_KNOWN, why),))


class RedirectedNetwork:
    """Notes each connection, and leads it to one host on this machine, or refuses it."""

    def __init__(self, port: int | None) -> None:
        self.port = port
        self.connected: list[tuple[str, int]] = []
        self.refusing: set[str] = set()

    def connect(self, address: Address, port: int, seconds: float) -> socket.socket:
        self.connected.append((str(address), port))
        if str(address) in self.refusing or self.port is None:
            raise ConnectionRefusedError
        return socket.create_connection(("127.0.0.1", self.port), seconds)


@pytest.fixture
def has_public_address(names: DnsServer) -> None:
    """The host has an address that is public."""
    names.answers(HOST, "A", records(f"A {PUBLIC}"))


def look(
    names: DnsServer,
    authority: CertificateAuthority,
    talk: Handler,
    *,
    seconds: float = PATIENT,
    tls: ssl.SSLContext | None = None,
    plain: bool = False,
    context: Callable[[], ssl.SSLContext] | None = None,
) -> tuple[VerificationResult, web_host.WebHost, RedirectedNetwork]:
    """What is found at a host that talks so."""
    server = None if plain else tls or authority.server_context(HOST)
    with web_host.running(talk, server) as host:
        network = RedirectedNetwork(host.port)
        way = HttpFileVerifier(
            names.resolver, new_context=context or authority.context, connect=network.connect, seconds=seconds
        )
        return way.verify(DOMAIN), host, network


CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.usefixtures("has_public_address")
@pytest.mark.parametrize(
    "content",
    [
        response(PROOF.encode()),
        response(f"{PROOF}\n".encode()),
        response(f"\ufeff{PROOF}\r\n".encode()),
        response(f"{OTHER}\r\n  {PROOF}  \r\n".encode()),
        response(f"# of our shop\n\n{PROOF}".encode()),
        response(PROOF.encode().rjust(1024)),
        f"HTTP/1.1 200 OK\r\n\r\n{PROOF}".encode(),
        f"HTTP/1.0 200 OK\r\n\r\n{PROOF}".encode(),
        f"{CHUNKED}{len(PROOF):x}\r\n{PROOF}\r\n0\r\n\r\n".encode(),
        b"HTTP/1.1 100 Continue\r\n\r\n" + response(PROOF.encode()),
        response(PROOF.encode(), head=f"Set-Cookie: {'x' * 9000}\r\n"),
    ],
)
def test_the_proof_is_found(names: DnsServer, authority: CertificateAuthority, content: bytes) -> None:
    found, host, _ = look(names, authority, answering(content))
    assert found == FOUND
    assert host.connections == 1


@pytest.mark.usefixtures("has_public_address")
def test_the_request_is_small_and_names_the_host(names: DnsServer, authority: CertificateAuthority) -> None:
    requests: list[bytes] = []
    _, _, network = look(names, authority, answering(response(PROOF.encode()), requests))
    assert network.connected == [(PUBLIC, 443)]
    [request] = requests
    first, *rest = request.decode().split("\r\n")
    assert first == "GET /.well-known/reviewinvite.txt HTTP/1.1"
    assert f"Host: {HOST}" in rest
    assert "Connection: close" in rest
    assert DOMAIN.token not in request.decode()


def test_a_connection_that_stays_open_is_not_waited_for(names: DnsServer, authority: CertificateAuthority) -> None:
    names.answers(HOST, "A", records(f"A {PUBLIC}"))

    def keep_open(connection: socket.socket) -> None:
        answering(response(PROOF.encode()))(connection)
        request_of(connection)  # until the other side closes

    begun = time.monotonic()
    assert look(names, authority, keep_open)[0] == FOUND
    assert time.monotonic() - begun < BOUND


@pytest.mark.usefixtures("has_public_address")
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (response(b""), FailureReason.NO_RECORD),
        (response(b"<html>Welkom</html>"), FailureReason.NO_RECORD),
        (response(f"<b>{PROOF}</b>".encode()), FailureReason.NO_RECORD),
        (response(OTHER.encode()), FailureReason.OTHER_TOKEN),
        (response(f"{PROOF}0".encode()), FailureReason.OTHER_TOKEN),
        (response(PROOF.encode("utf-16")), FailureReason.NO_RECORD),
        (response(bytes(range(128, 256))), FailureReason.NO_RECORD),
        (response(PROOF.encode(), status="404 Not Found"), FailureReason.NO_RECORD),
        (response(PROOF.encode(), status="410 Gone"), FailureReason.NO_RECORD),
        (response(PROOF.encode(), status="201 Created"), FailureReason.REFUSED),
        (response(PROOF.encode(), status="403 Forbidden"), FailureReason.REFUSED),
        (response(PROOF.encode(), status="500 Internal Server Error"), FailureReason.REFUSED),
        (response(PROOF.encode().rjust(1025)), FailureReason.TOO_LARGE),
        (b"HTTP/1.1 200 OK\r\n\r\n" + PROOF.encode().rjust(1025), FailureReason.TOO_LARGE),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000 + b"\r\n\r\n" + PROOF.encode(), FailureReason.TOO_LARGE),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 150 + b"\r\n" + PROOF.encode(), FailureReason.REFUSED),
        (b"", FailureReason.NO_ANSWER),
        (b"\0" * 500, FailureReason.REFUSED),
        (PROOF.encode() + b"\r\n", FailureReason.REFUSED),
        (b"SSH-2.0-OpenSSH\r\n", FailureReason.REFUSED),
        (CHUNKED.encode() + b"zz\r\n" + PROOF.encode(), FailureReason.REFUSED),
    ],
)
def test_what_is_not_the_proof_proves_nothing(
    names: DnsServer, authority: CertificateAuthority, content: bytes, why: FailureReason
) -> None:
    found, host, _ = look(names, authority, answering(content))
    assert found == absent(why)
    assert host.connections == 1


@pytest.mark.usefixtures("has_public_address")
@pytest.mark.parametrize(
    "status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"]
)
def test_no_redirect_is_followed(names: DnsServer, authority: CertificateAuthority, status: str) -> None:
    head = f"Location: https://{HOST}/elsewhere\r\n"
    found, host, _ = look(names, authority, answering(response(PROOF.encode(), status=status, head=head)))
    assert found == absent(FailureReason.REFUSED)
    assert host.connections == 1


@pytest.mark.usefixtures("has_public_address")
@pytest.mark.parametrize("head", [f"Content-Length: {10 * 2**20}\r\n", ""], ids=["told", "not told"])
def test_of_ten_megabytes_little_is_read(names: DnsServer, authority: CertificateAuthority, head: str) -> None:
    sent = []

    def pour(connection: socket.socket) -> None:
        request_of(connection)
        connection.sendall(f"HTTP/1.1 200 OK\r\n{head}\r\n{PROOF}\n".encode())
        for _ in range(10 * 2**10):
            connection.sendall(b"x" * 1023 + b"\n")
            sent.append(1)

    assert look(names, authority, pour)[0] == absent(FailureReason.TOO_LARGE)
    assert len(sent) < 9 * 2**10


def drip(connection: socket.socket, content: bytes, *, again: bytes = b"") -> None:
    """A byte now and then, so that no wait for the next one is ever long."""
    for byte in content:
        connection.sendall(bytes([byte]))
        time.sleep(0.02)
    while again:
        drip(connection, again)


def drip_head(connection: socket.socket) -> None:
    request_of(connection)
    drip(connection, b"HTTP/1.1 200 OK\r\n", again=b"X-Y: z\r\n")


def drip_body(connection: socket.socket) -> None:
    request_of(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    drip(connection, b"", again=b"x")


def drip_chunks(connection: socket.socket) -> None:
    request_of(connection)
    connection.sendall(CHUNKED.encode())
    drip(connection, b"", again=b"1\r\nx\r\n")


def drip_early_hints(connection: socket.socket) -> None:
    request_of(connection)
    drip(connection, b"", again=b"HTTP/1.1 100 Continue\r\n\r\n")


def say_nothing(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass


@pytest.mark.usefixtures("has_public_address")
@pytest.mark.parametrize("talk", [drip_head, drip_body, drip_chunks, drip_early_hints, say_nothing])
def test_whoever_takes_his_time_gets_no_more_than_all_others(
    names: DnsServer, authority: CertificateAuthority, talk: Handler
) -> None:
    begun = time.monotonic()
    found, _, _ = look(names, authority, talk, seconds=SHORT)
    assert found in (absent(FailureReason.NO_ANSWER), absent(FailureReason.TOO_LARGE))
    assert time.monotonic() - begun < BOUND


def drip_handshake(connection: socket.socket) -> None:
    drip(connection, b"\x16\x03\x03\x40\x00", again=b"\x02")


@pytest.mark.usefixtures("has_public_address")
@pytest.mark.parametrize("talk", [drip_handshake, say_nothing])
def test_a_handshake_without_an_end_is_ended(names: DnsServer, authority: CertificateAuthority, talk: Handler) -> None:
    begun = time.monotonic()
    found, _, _ = look(names, authority, talk, seconds=SHORT, plain=True)
    assert found.found is None
    assert time.monotonic() - begun < BOUND


@pytest.mark.usefixtures("has_public_address")
@pytest.mark.parametrize("name", ["other.example.nl", "*.molen.example.nl", "example.nl", "www.molen.example.nl"])
def test_a_certificate_of_another_host_is_not_trusted(
    names: DnsServer, authority: CertificateAuthority, name: str
) -> None:
    requests: list[bytes] = []
    talk = answering(response(PROOF.encode()), requests)
    assert look(names, authority, talk, tls=authority.server_context(name))[0] == absent(FailureReason.NOT_TRUSTED)
    assert requests == [], "nothing is asked of it"


@pytest.mark.usefixtures("has_public_address")
def test_a_certificate_that_has_ended_or_that_nobody_knows_is_not_trusted(
    names: DnsServer, authority: CertificateAuthority, tmp_path_factory: pytest.TempPathFactory
) -> None:
    talk = answering(response(PROOF.encode()))
    ended = authority.server_context(HOST, ends_in=-timedelta(days=1))
    assert look(names, authority, talk, tls=ended)[0] == absent(FailureReason.NOT_TRUSTED)
    foreign = CertificateAuthority(tmp_path_factory.mktemp("foreign")).server_context(HOST)
    assert look(names, authority, talk, tls=foreign)[0] == absent(FailureReason.NOT_TRUSTED)
    assert look(names, authority, talk, context=ssl.create_default_context)[0] == absent(FailureReason.NOT_TRUSTED)


@pytest.mark.usefixtures("has_public_address")
def test_without_tls_nothing_is_believed(names: DnsServer, authority: CertificateAuthority) -> None:
    def answer_at_once(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(response(PROOF.encode()))

    assert look(names, authority, answer_at_once, plain=True)[0] == absent(FailureReason.NOT_TRUSTED)


class Listening:
    """Sockets on this machine that notice who connects."""

    def __init__(self, port: int = 0) -> None:
        self.socket = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
        self.socket.settimeout(0)
        self.port: int = self.socket.getsockname()[1]

    def was_connected_to(self) -> bool:
        try:
            self.socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.mark.parametrize("address", [address for address in NOT_PUBLIC if "%" not in address])
def test_nothing_but_public_addresses_is_connected_to(names: DnsServer, address: str) -> None:
    kind = "A" if ip_address(address).version == 4 else "AAAA"
    names.answers(HOST, kind, records(f"{kind} {address}"))
    listening = Listening()
    with listening.socket:
        begun = time.monotonic()
        found = HttpFileVerifier(names.resolver, port=listening.port, seconds=PATIENT).verify(DOMAIN)
        assert found == absent(FailureReason.NOT_PUBLIC)
        assert not listening.was_connected_to()
        assert time.monotonic() - begun < BOUND


def test_the_listener_would_notice(names: DnsServer) -> None:
    names.answers(HOST, "A", records("A 127.0.0.1"))
    listening = Listening()
    with listening.socket:
        way = HttpFileVerifier(names.resolver, port=listening.port, seconds=2, allows=lambda _: True)
        assert way.verify(DOMAIN).found is None
        assert listening.was_connected_to()


def test_a_name_that_moves_after_it_was_looked_up_moves_nothing(
    names: DnsServer, authority: CertificateAuthority
) -> None:
    """First a public address, and from then on that of this machine: DNS rebinding."""
    names.answers(HOST, "A", records(f"A {PUBLIC}"), records("A 127.0.0.1"))
    names.answers(HOST, "AAAA", code(dns.rcode.NOERROR))
    found, _, network = look(names, authority, answering(response(PROOF.encode())))
    assert found == FOUND
    assert network.connected == [(PUBLIC, 443)]
    assert sorted(names.asked) == [(HOST, "A"), (HOST, "AAAA")]
    again, host, network = look(names, authority, answering(response(PROOF.encode())))
    assert (again, host.connections, network.connected) == (absent(FailureReason.NOT_PUBLIC), 0, [])


def test_among_many_addresses_only_public_ones_are_tried_and_few_of_them(
    names: DnsServer, authority: CertificateAuthority
) -> None:
    public = [f"93.184.216.{number}" for number in range(1, 30)]
    mixed = [address for pair in zip(NOT_PUBLIC[:20], public, strict=False) for address in pair]
    names.answers(HOST, "A", records(*(f"A {address}" for address in mixed)))
    names.answers(HOST, "AAAA", records("AAAA ::1", f"AAAA {PUBLIC_6}", "AAAA ::ffff:127.0.0.1"))
    network = RedirectedNetwork(None)
    way = HttpFileVerifier(names.resolver, connect=network.connect, seconds=PATIENT)
    assert way.verify(DOMAIN) == absent(FailureReason.NO_ANSWER)
    assert network.connected == [(address, 443) for address in public[:4]]


def test_an_address_that_refuses_is_followed_by_the_next(names: DnsServer, authority: CertificateAuthority) -> None:
    names.answers(HOST, "A", records(f"A {PUBLIC}", "A 10.0.0.1", f"A {ALSO_PUBLIC}"))
    with web_host.running(answering(response(PROOF.encode())), authority.server_context(HOST)) as host:
        network = RedirectedNetwork(host.port)
        network.refusing.add(PUBLIC)
        way = HttpFileVerifier(names.resolver, new_context=authority.context, connect=network.connect, seconds=PATIENT)
        assert way.verify(DOMAIN) == FOUND
    assert network.connected == [(PUBLIC, 443), (ALSO_PUBLIC, 443)]


@pytest.mark.parametrize(
    "other",
    [
        code(dns.rcode.SERVFAIL),
        code(dns.rcode.NOERROR),
        *(in_full(each) for each in (silence, garbage)),  # waited for, for seconds
    ],
)
def test_one_kind_of_address_is_enough(names: DnsServer, authority: CertificateAuthority, other: Answer) -> None:
    names.answers(HOST, "A", other)
    names.answers(HOST, "AAAA", records(f"AAAA {PUBLIC_6}"))
    found, _, network = look(names, authority, answering(response(PROOF.encode())), seconds=10)
    assert found == FOUND
    assert network.connected == [(PUBLIC_6, 443)]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (code(dns.rcode.NXDOMAIN), FailureReason.NO_HOST),
        (code(dns.rcode.NOERROR), FailureReason.NO_HOST),
        (zone(f"{HOST}. CNAME {HOST}."), FailureReason.NO_ANSWER),
        (zone(f"{HOST}. CNAME a.nl.", f"a.nl. CNAME {HOST}."), FailureReason.NO_ANSWER),
        (records(f"A {PUBLIC}", name="other.example.nl."), FailureReason.NO_HOST),
        (code(dns.rcode.SERVFAIL), FailureReason.NO_ANSWER),
        (silence, FailureReason.NO_ANSWER),
        (garbage, FailureReason.NO_ANSWER),
    ],
)
def test_a_host_without_an_address_is_not_connected_to(names: DnsServer, answer: Answer, why: FailureReason) -> None:
    for kind in ("A", "AAAA"):
        names.answers(HOST, kind, answer)
    network = RedirectedNetwork(None)
    begun = time.monotonic()
    seconds = SHORT if why is FailureReason.NO_ANSWER else PATIENT
    found = HttpFileVerifier(names.resolver, connect=network.connect, seconds=seconds).verify(DOMAIN)
    assert network.connected == []
    assert found == absent(why)
    assert {name for name, _ in names.asked} == {HOST}, "no CNAME is followed by us"
    assert time.monotonic() - begun < BOUND


def test_no_proxy_of_the_environment_is_asked(
    names: DnsServer, authority: CertificateAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    names.answers(HOST, "A", records("A 127.0.0.1"))
    proxy = Listening()
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    with proxy.socket, web_host.running(answering(response(PROOF.encode())), authority.server_context(HOST)) as host:
        way = HttpFileVerifier(
            names.resolver, new_context=authority.context, seconds=PATIENT, port=host.port, allows=lambda _: True
        )
        assert way.verify(DOMAIN) == FOUND
        assert not proxy.was_connected_to()


def test_either_way_is_enough_and_without_both_each_tells_why(
    names: DnsServer, authority: CertificateAuthority
) -> None:
    network = RedirectedNetwork(None)
    ways = AnyOfVerifier(
        lambda: (DnsTxtVerifier(names.resolver), HttpFileVerifier(names.resolver, connect=network.connect))
    )
    assert ways.verify(DOMAIN) == VerificationResult(
        found=None, absences=((ProofWay.DNS, FailureReason.NO_RECORD), (ProofWay.WELL_KNOWN, FailureReason.NO_HOST))
    )
    names.answers(DOMAIN.record_name, "TXT", records(f'TXT "{PROOF}"'))
    assert ways.verify(DOMAIN) == VerificationResult(found=ProofWay.DNS)
    names.answers(DOMAIN.record_name, "TXT", records('TXT "x"'))
    names.answers(HOST, "A", records(f"A {PUBLIC}"))
    with web_host.running(answering(response(PROOF.encode())), authority.server_context(HOST)) as host:
        there = RedirectedNetwork(host.port)
        ways = AnyOfVerifier(
            lambda: (
                DnsTxtVerifier(names.resolver),
                HttpFileVerifier(names.resolver, new_context=authority.context, connect=there.connect),
            )
        )
        assert ways.verify(DOMAIN) == FOUND


def test_the_ways_of_this_machine_are_made_without_being_asked() -> None:
    from reviewinvite_core.adapters.domain_verification import both_ways

    dns_way, web_way = both_ways()
    assert isinstance(dns_way, DnsTxtVerifier)
    assert isinstance(web_way, HttpFileVerifier)
    assert web_way._port == 443
    assert not web_way._allows(IPv4Address("127.0.0.1"))
    assert not web_way._allows(IPv6Address("::1"))
    assert web_way._new_context().check_hostname
    assert web_way._new_context().verify_mode is ssl.CERT_REQUIRED
