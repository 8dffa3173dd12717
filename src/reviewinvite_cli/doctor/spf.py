"""SPF: the domain of `MAIL_FROM` says which servers may send for it. RFC 7208."""

from __future__ import annotations

import re
from typing import NamedTuple

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.records import NotKnown, has_record, not_known, not_needed, sender_domain, texts_or_none

CHECK = "spf"
MOST_LOOKUPS, MOST_VOID = 10, 2  # RFC 7208, section 4.6.4
_UNKNOWN = "unknown"  # a macro names the record that decides
_RECORD = re.compile(r"v=spf1(?: |$)", re.IGNORECASE)
_ALL = re.compile(r"[+?~-]?all", re.IGNORECASE)
_REDIRECT = re.compile(r"redirect=(.*)", re.IGNORECASE)
_LOOKUP = re.compile(
    r"(?P<qualifier>[+?~-]?)(?P<kind>a|mx|ptr|(?:include|exists)(?=:))(?::(?P<name>.*?))?(?:/\d+)?(?://\d+)?",
    re.IGNORECASE,
)
_KINDS = {"a": ("A", "AAAA"), "mx": ("MX",), "exists": ("A",)}  # what receivers look up at the name of a term


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


def check(patient: Patient) -> Finding:
    """Check the record itself: only receivers know from which address the mail server connects to them."""
    domain = sender_domain(patient)
    if finding := not_needed(CHECK, patient):
        return finding
    rule = _Rule(None)
    try:
        records = [text for text in texts_or_none(patient, domain) if _RECORD.match(text)]
        if len(records) == 1:
            rule = _Receiver(patient).rule_of(records[0], domain)
    except NotKnown as error:
        return not_known(CHECK, str(error))
    except _TooMany:
        return failure(CHECK, f"the record of {domain} needs more than {MOST_LOOKUPS} lookups, so it does not count",
                       "Remove what is not used any more, or name networks (ip4:, ip6:).")  # fmt: skip
    except _TooManyVoid as error:
        return failure(CHECK, f"more than {MOST_VOID} lookups for the record of {domain} find nothing, so it does not "
                       f"count: {error}", "Remove or correct these names in a, mx and exists.")  # fmt: skip
    except _NoRecord as error:
        return failure(CHECK, f"the record of {domain} leads to {error}, which has no valid SPF record, so it does not "
                       "count", f"Remove or correct the include: or redirect= with {error}.")  # fmt: skip
    if not records:
        return failure(CHECK, f"{domain} has no SPF record", f"Publish a TXT record at {domain}, such as \"v=spf1 mx "
                       "-all\"; your mail provider says what belongs in it.")  # fmt: skip
    if len(records) > 1:
        return failure(CHECK, f"{domain} has {len(records)} SPF records, so none counts", "Merge them into one.")
    return _of_rule(domain, records[0], rule)


def _of_rule(domain: str, record: str, rule: _Rule) -> Finding:
    end = f"Remove include:{rule.included}." if rule.included else "End it with ~all or -all."
    because = f", because the record of {rule.included} does" if rule.included else ""
    if rule.text in ("all", "+all"):
        return failure(CHECK, f"{record} lets everybody send for {domain}{because}", end)
    if rule.text not in ("~all", "-all", _UNKNOWN):
        return warning(CHECK, f"{record} rules nobody out", end)
    return ok(CHECK, f"{domain}: {record}")


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
        records = [text for text in texts_or_none(self._patient, name) if _RECORD.match(text)]
        if len(records) != 1:  # a permanent error (RFC 7208, sections 4.5, 5.2 and 6.1)
            raise _NoRecord(name)
        return records[0]
