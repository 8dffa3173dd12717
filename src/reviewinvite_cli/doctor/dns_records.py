"""Checks of the DNS records of the domain that e-mails come from: SPF, DKIM and DMARC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import dns.exception
import dns.name
import dns.resolver

from reviewinvite_cli.doctor.checks import Finding, Patient, check, failed, passed, warned
from reviewinvite_core.maintenance.mail_trial import sends_by_smtp

MOST_LOOKUPS, MOST_VOID = 10, 2  # RFC 7208, section 4.6.4
_UNKNOWN = "unknown"  # a macro names the record that decides
_SPF = re.compile(r"v=spf1(?: |$)", re.IGNORECASE)
_ALL = re.compile(r"[+?~-]?all", re.IGNORECASE)
_REDIRECT = re.compile(r"redirect=(.*)", re.IGNORECASE)
_LOOKUP = re.compile(
    r"(?P<qualifier>[+?~-]?)(?P<kind>a|mx|ptr|(?:include|exists)(?=:))(?::(?P<name>.*?))?(?:/\d+)?(?://\d+)?",
    re.IGNORECASE,
)
_KINDS = {"a": ("A", "AAAA"), "mx": ("MX",), "exists": ("A",)}  # what receivers look up at the name of a term

USUAL_SELECTORS = (
    "default",
    "mail",
    "dkim",
    "selector1",
    "selector2",
    "s1",
    "s2",
    "k1",
    "k2",
    "google",
    "smtp",
    "key1",
)
_SIGN = (
    "Let the mail server sign for {domain}, and publish its key: see docs/how-to/reach-the-inbox.md in the source code."
)

_DMARC = re.compile(r"v=DMARC1\s*;")
_POLICIES = {"none", "quarantine", "reject"}


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

        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = [address], number
        return resolver

    return make


def system_resolver() -> dns.resolver.Resolver:
    """Return a resolver with this machine's configuration."""
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


def not_needed(patient: Patient) -> Finding | None:
    """Return a finding if there is no domain to check: nothing is sent, or `MAIL_FROM` has none."""
    if not sends_by_smtp(patient.settings):
        return passed("not needed: MAIL_URL names no mail server")
    if "." not in sender_domain(patient):
        text = f"not checked: {patient.settings.mail_from} has no public domain"
        return warned(text, "Set MAIL_FROM to an address of your own domain.")
    return None


def not_known(name: str) -> Finding:
    """Return the finding for records that cannot be looked up."""
    return warned(f"{name} could not be looked up", "Check this machine's name server (/etc/resolv.conf).")


@check("spf", needs=("mail_from",))
def check_spf(patient: Patient) -> Finding:
    """Check that the domain of `MAIL_FROM` says which servers may send for it. RFC 7208.

    This is the record itself: only receivers know from which address the mail server connects to them.
    """
    domain = sender_domain(patient)
    if finding := not_needed(patient):
        return finding
    rule = _Rule(None)
    try:
        records = [text for text in texts_or_none(patient, domain) if _SPF.match(text)]
        if len(records) == 1:
            rule = _Receiver(patient).rule_of(records[0], domain)
    except NotKnown as error:
        return not_known(str(error))
    except _TooMany:
        return failed(
            f"the record of {domain} needs more than {MOST_LOOKUPS} lookups, so it does not count",
            "Remove what is not used any more, or name networks (ip4:, ip6:).",
        )
    except _TooManyVoid as error:
        return failed(
            f"more than {MOST_VOID} lookups for the record of {domain} find nothing, so it does not count: {error}",
            "Remove or correct these names in a, mx and exists.",
        )
    except _NoRecord as error:
        return failed(
            f"the record of {domain} leads to {error}, which has no valid SPF record, so it does not count",
            f"Remove or correct the include: or redirect= with {error}.",
        )
    if not records:
        example = f'Publish a TXT record at {domain}, such as "v=spf1 mx -all"'
        return failed(f"{domain} has no SPF record", f"{example}; your mail provider says what belongs in it.")
    if len(records) > 1:
        return failed(f"{domain} has {len(records)} SPF records, so none counts", "Merge them into one.")
    return _of_spf(domain, records[0], rule)


class _TooMany(Exception):
    """The record needs more lookups than receivers make."""


class _TooManyVoid(Exception):
    """More lookups find nothing than receivers accept; the message lists their names."""


class _NoRecord(Exception):
    """A name that the record refers to has no SPF record, or several; the message is the name."""


class _Rule(NamedTuple):
    """The `all` that decides, if there is one, and the domain of the `include:` that brings it."""

    text: str | None
    included: str | None = None


def _of_spf(domain: str, record: str, rule: _Rule) -> Finding:
    end = f"Remove include:{rule.included}." if rule.included else "End it with ~all or -all."
    because = f", because the record of {rule.included} does" if rule.included else ""
    if rule.text in ("all", "+all"):
        return failed(f"{record} lets everybody send for {domain}{because}", end)
    if rule.text not in ("~all", "-all", _UNKNOWN):
        return warned(f"{record} rules nobody out", end)
    return passed(f"{domain}: {record}")


class _Receiver:
    """Follows a record as a receiver does whose client is named nowhere in it."""

    def __init__(self, patient: Patient) -> None:
        self._patient = patient
        self._lookups = 0
        self._void: list[str] = []

    def rule_of(self, record: str, domain: str) -> _Rule:
        """Return what decides; `domain` has the record.

        Only the first `all` counts, and nothing after it; a `redirect=` counts if there is none, wherever it stands.

        Raises: `_TooMany`, `_TooManyVoid`, `_NoRecord`, `NotKnown`.
        """
        terms = record.split()[1:]
        for term in terms:
            if _ALL.fullmatch(term):
                return _Rule(term.lower())
            if (found := _LOOKUP.fullmatch(term)) and (rule := self._follow(found, domain)):
                return rule
        for redirect in filter(None, map(_REDIRECT.fullmatch, terms)):
            self._count_lookup()
            return _Rule(_UNKNOWN) if "%" in redirect[1] else self.rule_of(self._record_at(redirect[1]), redirect[1])
        return _Rule(None)

    def _follow(self, term: re.Match[str], domain: str) -> _Rule | None:
        """Make the lookup of a term; return the rule if it is an `include:` that applies to everybody."""
        self._count_lookup()
        kind, name = term["kind"].lower(), term["name"] or domain
        if "%" in name:  # a macro: only receivers know the name
            return None
        if kind == "include":
            if self.rule_of(self._record_at(name), name).text in ("all", "+all"):
                return _Rule(f"{term['qualifier']}all", name)
        elif kind in _KINDS and not has_record(self._patient, name, *_KINDS[kind]):
            self._void.append(name)
            if len(self._void) > MOST_VOID:
                raise _TooManyVoid(", ".join(self._void))
        return None

    def _count_lookup(self) -> None:
        if self._lookups >= MOST_LOOKUPS:
            raise _TooMany
        self._lookups += 1

    def _record_at(self, name: str) -> str:
        records = [text for text in texts_or_none(self._patient, name) if _SPF.match(text)]
        if len(records) != 1:  # a permanent error (RFC 7208, sections 4.5, 5.2 and 6.1)
            raise _NoRecord(name)
        return records[0]


@check("dkim", needs=("mail_from",))
def check_dkim(patient: Patient) -> Finding:
    """Check that the domain of `MAIL_FROM`, or one above it, publishes the key that the mail server uses. RFC 6376.

    That is at the selector given, or else at usual ones: only the signature itself says which is used.
    """
    domain = sender_domain(patient)
    if finding := not_needed(patient):
        return finding
    publishers: list[str] = []
    for each in and_above(domain):  # a signature of a domain above is aligned, too
        below = f"_domainkey.{each}"
        try:
            if not patient.dkim_selector:
                texts_at(patient, below)
                publishers.append(each)
            for selector in [patient.dkim_selector] if patient.dkim_selector else USUAL_SELECTORS:
                name = f"{selector}.{below}"
                if keys := [text for text in texts_or_none(patient, name) if "p=" in text]:
                    return _of_dkim(keys[0], name, domain)
        except NoSuchName:  # so there is no name below it either (RFC 8020)
            continue
        except NotKnown:
            return not_known(below)
    if patient.dkim_selector:
        name = f"{patient.dkim_selector}._domainkey.{domain}"
        return failed(f"there is no DKIM key at {name}", _SIGN.format(domain=domain))
    if not publishers:
        return failed(f"{domain} publishes no DKIM key", _SIGN.format(domain=domain))
    found = "Name the selector: it is s= in the DKIM-Signature of an e-mail that `mail test` sent."
    return warned(
        f"{publishers[0]} publishes a DKIM key, but under no usual selector",
        f"{found} Then run `reviewinvite doctor --dkim-selector NAME`.",
    )


def _of_dkim(key: str, name: str, domain: str) -> Finding:
    tags = dict(part.strip().partition("=")[::2] for part in key.split(";"))
    if not tags.get("p", "").strip():
        return failed(f"the DKIM key at {name} is revoked", _SIGN.format(domain=domain))
    return passed(f"{name} has a key ({tags.get('k', 'rsa').strip()})")


@check("dmarc", needs=("mail_from",))
def check_dmarc(patient: Patient) -> Finding:
    """Check that the domain of `MAIL_FROM` says what becomes of e-mails that fail both. RFC 7489.

    If it has no record, that of a domain above it applies.
    """
    domain = sender_domain(patient)
    if finding := not_needed(patient):
        return finding
    for each in and_above(domain):
        try:
            records = [text for text in texts_or_none(patient, f"_dmarc.{each}") if _DMARC.match(text)]
        except NotKnown:
            return not_known(f"_dmarc.{each}")
        if len(records) > 1:
            return failed(f"_dmarc.{each} has {len(records)} records, so none counts", "Keep one of them.")
        if records:
            return _of_dmarc(each, records[0], below=each != domain)
    return warned(
        f"{domain} has no DMARC record; large mail providers ask for one",
        f'Publish a TXT record at _dmarc.{domain}: "v=DMARC1; p=none; rua=mailto:you@{domain}".',
    )


def _of_dmarc(domain: str, record: str, *, below: bool) -> Finding:
    """Return the finding for the record of this domain; for domains below it, `sp` applies if it is there."""
    pairs = (part.partition("=")[::2] for part in record.split(";"))
    tags = {name.strip().lower(): value.strip().lower() for name, value in pairs}
    if not {tags.get("p"), tags.get("sp", "none")} <= _POLICIES:
        then = "Give it p=none, quarantine or reject; sp= may be left out."
        return failed(f"_dmarc.{domain} has no valid policy: {record}", then)
    name = "sp" if below and "sp" in tags else "p"
    return passed(f"_dmarc.{domain}: {name}={tags[name]}")
