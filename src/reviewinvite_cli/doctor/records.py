"""TXT records of the domain that e-mails come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from reviewinvite_cli.doctor.finding import Finding, ok, warning
from reviewinvite_cli.doctor.patient import Patient

if TYPE_CHECKING:
    import dns.resolver


class NotKnown(Exception):
    """No name server gave a usable answer; the message is the name that was looked up."""


class NoSuchName(Exception):
    """There is neither this name nor any below it."""


def resolver_at(server: str) -> Callable[[], dns.resolver.Resolver]:
    """Return what makes a resolver that asks only this server: `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`.

    Raises: `ValueError`.
    """
    from ipaddress import ip_address

    host, separator, port = server.rpartition(":")
    if not separator or (":" in host and not host.startswith("[")):
        host, port = server, "53"
    address, number = str(ip_address(host.strip("[]"))), int(port)

    def make() -> dns.resolver.Resolver:
        import dns.resolver

        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = [address], number
        return resolver

    return make


def system_resolver() -> dns.resolver.Resolver:
    """Return a resolver with this machine's configuration."""
    import dns.resolver

    return dns.resolver.Resolver()


def texts_at(patient: Patient, name: str) -> Sequence[str]:
    """Return the TXT records at this name; empty if there are none.

    Raises: `NoSuchName`; `NotKnown`, after the time that one wait may take.
    """
    answer = _answer(patient, name, "TXT") or ()
    return [b"".join(record.strings).decode("ascii", "replace").strip() for record in answer]


def has_record(patient: Patient, name: str, *kinds: str) -> bool:
    """Return whether there is a record of one of these kinds, such as `MX`, at this name.

    Raises: `NotKnown`.
    """
    try:
        return any(_answer(patient, name, kind) for kind in kinds)
    except NoSuchName:
        return False


def _answer(patient: Patient, name: str, kind: str) -> dns.resolver.Answer | None:
    import dns.exception
    import dns.name
    import dns.resolver

    try:
        return patient.new_resolver().resolve(dns.name.from_text(name), kind, search=False, lifetime=patient.seconds)
    except dns.resolver.NXDOMAIN:
        raise NoSuchName from None
    except dns.resolver.NoAnswer:
        return None
    except (dns.exception.DNSException, OSError, ValueError):
        raise NotKnown(name) from None


def texts_or_none(patient: Patient, name: str) -> Sequence[str]:
    """Return the TXT records at this name; empty also if there is no such name.

    Raises: `NotKnown`.
    """
    try:
        return texts_at(patient, name)
    except NoSuchName:
        return []


def sender_domain(patient: Patient) -> str:
    """Return the domain of `MAIL_FROM`."""
    return patient.settings.mail_from.rpartition("@")[2]


def and_above(domain: str) -> Iterator[str]:
    """Yield the domain and those above it, except the topmost."""
    labels = domain.split(".")
    yield from (".".join(labels[start:]) for start in range(len(labels) - 1))


def not_needed(check: str, patient: Patient) -> Finding | None:
    """Return a finding if there is no domain to check: nothing is sent, or `MAIL_FROM` has none."""
    from reviewinvite_core.maintenance.mail_trial import sends_by_smtp

    if not sends_by_smtp(patient.settings):
        return ok(check, "not needed: MAIL_URL names no mail server")
    if "." not in sender_domain(patient):
        text = f"not checked: {patient.settings.mail_from} has no public domain"
        return warning(check, text, "Set MAIL_FROM to an address of your own domain.")
    return None


def not_known(check: str, name: str) -> Finding:
    """Return the finding for records that cannot be looked up."""
    return warning(check, f"{name} could not be looked up", "Check this machine's name server (/etc/resolv.conf).")
