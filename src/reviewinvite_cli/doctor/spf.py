"""SPF: the domain of `MAIL_FROM` says which servers may send for it. RFC 7208."""

from __future__ import annotations

import re

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.records import NotKnown, not_known, not_needed, sender_domain, texts_or_none

CHECK = "spf"
MOST_LOOKUPS = 10  # RFC 7208, section 4.6.4
_UNKNOWN = "unknown"  # a macro names the record that decides
_RECORD = re.compile(r"v=spf1(?: |$)", re.IGNORECASE)
_ALL = re.compile(r"[+?~-]?all", re.IGNORECASE)
_REDIRECT = re.compile(r"redirect=(.*)", re.IGNORECASE)
_LOOKUP = re.compile(r"[+?~-]?(?:(include|exists):|(?:a|mx|ptr)(?:[:/]|$))(.*)", re.IGNORECASE)


class _TooMany(Exception):
    """The record needs more lookups than receivers make."""


class _NoRecord(Exception):
    """A name that the record refers to has no SPF record, or several; the message is the name."""


def check(patient: Patient) -> Finding:
    """Check the record itself: only receivers know from which address the mail server connects to them."""
    domain = sender_domain(patient)
    if finding := not_needed(CHECK, patient):
        return finding
    rule: str | None = None
    try:
        records = [text for text in texts_or_none(patient, domain) if _RECORD.match(text)]
        if len(records) == 1:
            _, rule = _walk(patient, records[0], 0)
    except NotKnown:
        return not_known(CHECK, domain)
    except _TooMany:
        return failure(CHECK, f"the record of {domain} needs more than {MOST_LOOKUPS} lookups, so it does not count",
                       "Remove what is not used any more, or name networks (ip4:, ip6:).")  # fmt: skip
    except _NoRecord as error:
        return failure(CHECK, f"the record of {domain} leads to {error}, which has no valid SPF record, so it does not "
                       "count", f"Remove or correct the include: or redirect= with {error}.")  # fmt: skip
    if not records:
        return failure(CHECK, f"{domain} has no SPF record", f"Publish a TXT record at {domain}, such as \"v=spf1 mx "
                       "-all\"; your mail provider says what belongs in it.")  # fmt: skip
    if len(records) > 1:
        return failure(CHECK, f"{domain} has {len(records)} SPF records, so none counts", "Merge them into one.")
    [record] = records
    if rule in ("all", "+all"):
        return failure(CHECK, f"{record} lets everybody send for {domain}", "End it with ~all or -all.")
    if rule not in ("~all", "-all", _UNKNOWN):
        return warning(CHECK, f"{record} rules nobody out", "End it with ~all or -all.")
    return ok(CHECK, f"{domain}: {record}")


def _walk(patient: Patient, record: str, count: int) -> tuple[int, str | None]:
    """Return how many lookups a receiver has made after this record, and the `all` that decides, if there is one.

    Only the first `all` counts, and nothing after it; a `redirect=` counts if there is none, wherever it stands.

    Raises: `_TooMany`, `_NoRecord`, `NotKnown`.
    """
    terms = record.split()[1:]
    first_all = next((number for number, term in enumerate(terms) if _ALL.fullmatch(term)), None)
    for term in terms[:first_all]:
        if found := _LOOKUP.fullmatch(term):
            count = _one_more(count)
            if (found[1] or "").lower() == "include" and "%" not in found[2]:  # a macro: only receivers know the name
                count, _ = _walk(patient, _record_at(patient, found[2]), count)
    if first_all is not None:
        return count, terms[first_all].lower()
    for redirect in filter(None, map(_REDIRECT.fullmatch, terms)):
        count = _one_more(count)
        return (count, _UNKNOWN) if "%" in redirect[1] else _walk(patient, _record_at(patient, redirect[1]), count)
    return count, None


def _one_more(count: int) -> int:
    if count >= MOST_LOOKUPS:
        raise _TooMany
    return count + 1


def _record_at(patient: Patient, name: str) -> str:
    records = [text for text in texts_or_none(patient, name) if _RECORD.match(text)]
    if len(records) != 1:  # a permanent error (RFC 7208, sections 4.5, 5.2 and 6.1)
        raise _NoRecord(name)
    return records[0]
