"""Checks of the service's public addresses, and of the clock, which is compared with theirs.

They are asked without following redirects, past the proxy that this machine may use, and with a bound on each wait.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from ipaddress import ip_network
from urllib.parse import urlsplit

import attrs

from reviewinvite_cli.doctor.checks import Finding, Patient, check, failed, passed, warned
from reviewinvite_cli.doctor.settings import is_loopback
from reviewinvite_core import ConfigurationError, StorageUnavailable
from reviewinvite_core.bootstrap.adapter_factory import machine_time

DAYS_LEFT = 14
WARN_SECONDS, FAIL_SECONDS = 5.0, 60.0
_SHORTEST_PREFIX = {4: 8, 6: 32}  # of a network that does not trust strangers
LARGEST = 256 * 1024


@attrs.frozen(kw_only=True)
class Answer:
    """An answer over HTTP; `certificate_until` is when the certificate expires, if there is one."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    certificate_until: str | None = None


class NoAnswer(Exception):
    """There was no answer; the message says why."""


class UnknownHost(NoAnswer):
    """The host's name leads to no address."""


PUBLISH = (
    "Publish an A or AAAA record for it, or correct the setting; if there is one, check this machine's name server "
    "(/etc/resolv.conf)."
)
"""Next step after `UnknownHost`."""


def leads_here(host: str) -> bool:
    """Return whether a host's name leads to an address of this machine; False if it leads to none."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        return False
    return any(_is_own(family, address) for family, _, _, _, address in found)


def _is_own(family: int, address: tuple[str | int | bytes, ...]) -> bool:
    """Return whether this machine has the address: only then can a socket be bound to it."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as tried:
            tried.bind(address)
    except OSError:
        return False
    return True


def get(url: str, seconds: float) -> Answer:
    """Return the answer to a GET.

    Raises: `NoAnswer`, `UnknownHost`.
    """
    parts = urlsplit(url)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(parts.hostname or "", parts.port, timeout=seconds, context=context)
    else:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=seconds)
    try:
        connection.connect()
        until = _expiry(connection)
        connection.request("GET", parts.path or "/", headers={"User-Agent": "reviewinvite-doctor"})
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(status=answer.status, headers=headers, body=answer.read(LARGEST), certificate_until=until)
    except ssl.SSLCertVerificationError as error:
        message = f"its certificate is not valid ({error.verify_message})"
        raise NoAnswer(message) from None
    except socket.gaierror:
        message = "the host name is not known"
        raise UnknownHost(message) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(_words(error)) from None
    finally:
        connection.close()


def _expiry(connection: http.client.HTTPConnection) -> str | None:
    certificate = connection.sock.getpeercert() if isinstance(connection.sock, ssl.SSLSocket) else None
    until = (certificate or {}).get("notAfter")
    return until if isinstance(until, str) else None


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


@check("base_url", needs=("base_url",))
def check_base_url(patient: Patient) -> Finding:
    """Check that `BASE_URL` leads to this installation: what answers there signs with keys of this database.

    Only processes on this database can publish its public keys, whatever proxy is in front.
    """
    url = patient.settings.base_url.rstrip("/")
    try:
        answer = get(f"{url}/v1/badge/public-keys", patient.seconds)
    except UnknownHost as error:
        return failed(f"{url}: {error}", PUBLISH)
    except NoAnswer as error:
        of_proxy = "certificate" in str(error)
        start = "Start reviewinvite serve and the proxy, and check this machine's firewall."
        return failed(f"{url}: {error}", "Check the proxy's certificate." if of_proxy else start)
    if answer.status in range(300, 400):
        then = "Set BASE_URL to the address to which it leads, without a redirect."
        return failed(f"{url} redirects to {answer.headers.get('location', '?')[:100]}", then)
    if answer.status in (502, 503, 504):
        then = "The proxy is there but the service is not ready: see its log and `/readyz`."
        return failed(f"{url} answers {answer.status}", then)
    ids = _key_ids(answer.body) if answer.status == 200 else frozenset()
    if not ids:
        then = "Let the proxy pass all paths below BASE_URL on, unchanged."
        return failed(f"{url} answers {answer.status}, but is not this service", then)
    try:
        ours = patient.inspection.signing_key_ids()
    except (ConfigurationError, StorageUnavailable):
        text = f"{url} answers; the database cannot be read, so it may be another instance"
        return warned(text, "See the check of the database.")
    if not ids <= ours:
        return failed(
            f"{url} is another instance: its signing keys are not in this database",
            "Correct BASE_URL or DATABASE_URL, or stop the other instance.",
        )
    return passed(f"{url} answers, with the keys of this database")


def _key_ids(body: bytes) -> frozenset[str]:
    try:
        return frozenset(str(key["kid"]) for key in json.loads(body)["keys"])
    except (ValueError, KeyError, TypeError):
        return frozenset()


@check("trusted_proxies", needs=("trusted_proxies",))
def check_proxies(patient: Patient) -> Finding:
    """Check that the addresses of clients are known: a proxy in front is named, and nobody else is trusted."""
    settings = patient.settings
    networks = [ip_network(each) for each in settings.trusted_proxies.split()]
    wide = [str(each) for each in networks if each.prefixlen < _SHORTEST_PREFIX[each.version]]
    if wide:
        return failed(
            f"{', '.join(wide)} trusts strangers, who can then pretend any address",
            "Set TRUSTED_PROXIES to the addresses of your own proxies.",
        )
    if networks:
        return passed(f"{', '.join(map(str, networks))}: named; not checked that it is the one that connects")
    if settings.base_url.startswith("https://"):
        return warned(
            "none, but BASE_URL is https, so there is a proxy: all visitors count as one client",
            "Set TRUSTED_PROXIES to its address, such as 127.0.0.1.",
        )
    return passed("none, and BASE_URL needs none")


@check("https", needs=("base_url", "widget_url", "dashboard_url"))
def check_https(patient: Patient) -> Finding:
    """Check that the public addresses use https, with a certificate that is valid and stays so for a while."""
    settings = patient.settings
    urls = dict.fromkeys((settings.base_url, settings.widget_url, settings.dashboard_url))
    plain = [url for url in urls if not url.startswith("https://")]
    if plain:
        then = "Put a proxy with TLS in front, and set BASE_URL to https://"
        return (warned if all(map(is_loopback, plain)) else failed)(
            f"{', '.join(plain)} is not https: no badge, snippet or one-click opt-out works there",
            f"{then}: see docs/how-to/run-behind-a-proxy.md in the source code.",
        )
    days: list[tuple[int, str]] = []
    for url in urls:
        try:
            until = get(f"{url.rstrip('/')}/healthz", patient.seconds).certificate_until
        except UnknownHost as error:
            return failed(f"{url}: {error}", PUBLISH)
        except NoAnswer as error:
            return failed(f"{url}: {error}", "Check the proxy's certificate, and that it listens on port 443.")
        if until:
            days.append((int((ssl.cert_time_to_seconds(until) - machine_time().timestamp()) // 86400), url))
    least, url = min(days, default=(0, ""))
    left = f"{least} day{'' if least == 1 else 's'}"
    if days and least < DAYS_LEFT:
        return warned(f"the certificate of {url} expires in {left}", "Check why it was not renewed.")
    return passed(f"the certificate is valid for {left}")


@check("clock")
def check_clock(patient: Patient) -> Finding:
    """Check that this machine's clock agrees with the database server's, and with the `Date` of `BASE_URL`.

    Only clocks of the installation itself are compared: no public time server is asked.
    """
    compared = {name: off for name, off in (_database(patient), _proxy(patient)) if off is not None}
    if not compared:
        return passed(f"{machine_time():%Y-%m-%d %H:%M:%S} UTC; no other machine's clock to compare with")
    name, off = max(compared.items(), key=lambda each: abs(each[1]))
    if abs(off) <= WARN_SECONDS:
        return passed(f"agrees with {' and '.join(compared)}")
    return (failed if abs(off) > FAIL_SECONDS else warned)(
        f"{abs(off):.0f} seconds {'behind' if off > 0 else 'ahead of'} {name}",
        "Run a time service on both machines: chrony or systemd-timesyncd.",
    )


def _database(patient: Patient) -> tuple[str, float | None]:
    """Return how many seconds this machine is behind the database's server, or None if that has no clock of its own."""
    name = "the database server"
    try:
        patient.inspection.condition()  # so that the time to connect does not count
        began = machine_time().timestamp()
        theirs = patient.inspection.database_now()
    except (ConfigurationError, StorageUnavailable):
        return name, None
    return name, theirs.timestamp() - (began + machine_time().timestamp()) / 2 if theirs else None


def _proxy(patient: Patient) -> tuple[str, float | None]:
    """Return how many seconds this machine is behind the `Date` of the public address, or None if there is none.

    An address of this machine has no other clock.
    """
    url = patient.settings.base_url
    name = urlsplit(url).hostname or url
    if patient.missing("base_url") or leads_here(name):
        return name, None
    began = machine_time().timestamp()
    try:
        answer = get(f"{url.rstrip('/')}/healthz", patient.seconds)
        theirs = parsedate_to_datetime(answer.headers["date"]).timestamp()
    except (NoAnswer, KeyError, ValueError, TypeError):
        return name, None
    after = machine_time().timestamp()
    # the header has whole seconds, cut off, of a moment between the two readings
    return name, theirs + 1 - began if theirs + 1 < began else theirs - after if theirs > after else 0.0
