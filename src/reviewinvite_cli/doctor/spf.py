"""SPF: the domain of `MAIL_FROM` says which servers may send for it. RFC 7208."""

from __future__ import annotations

import re

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.records import NotKnown, not_known, not_needed, sender_domain, texts_or_none

CHECK = "spf"
MOST_LOOKUPS = 10  # RFC 7208, section 4.6.4
_RECORD = re.compile(r"v=spf1(?: |$)", re.IGNORECASE)
_LOOKUP = re.compile(r"[+?~-]?(?:(include|exists):|(redirect)=|(?:a|mx|ptr)(?:[:/]|$))(.*)", re.IGNORECASE)


class _TooMany(Exception):
    pass


def check(patient: Patient) -> Finding:
    """Check the record itself: only receivers know from which address the mail server connects to them."""
    domain = sender_domain(patient)
    if finding := not_needed(CHECK, patient):
        return finding
    try:
        records = [text for text in texts_or_none(patient, domain) if _RECORD.match(text)]
        if len(records) == 1:
            _count(patient, records[0], 0)
    except NotKnown:
        return not_known(CHECK, domain)
    except _TooMany:
        return failure(CHECK, f"the record of {domain} needs more than {MOST_LOOKUPS} lookups, so it does not count",
                       "Remove what is not used any more, or name networks (ip4:, ip6:).")  # fmt: skip
    if not records:
        return failure(CHECK, f"{domain} has no SPF record", f"Publish a TXT record at {domain}, such as \"v=spf1 mx "
                       "-all\"; your mail provider says what belongs in it.")  # fmt: skip
    if len(records) > 1:
        return failure(CHECK, f"{domain} has {len(records)} SPF records, so none counts", "Merge them into one.")
    [record] = records
    last = record.lower().split()[-1]
    if last in ("all", "+all"):
        return failure(CHECK, f"{record} lets everybody send for {domain}", "End it with ~all or -all.")
    if last not in ("~all", "-all") and "redirect=" not in record.lower():
        return warning(CHECK, f"{record} rules nobody out", "End it with ~all or -all.")
    return ok(CHECK, f"{domain}: {record}")


def _count(patient: Patient, record: str, count: int) -> int:
    """Return how many lookups a receiver has made after this record.

    Raises: `_TooMany`, `NotKnown`.
    """
    for term in record.split()[1:]:
        found = _LOOKUP.fullmatch(term)
        if found is None:
            continue
        count += 1
        if count > MOST_LOOKUPS:
            raise _TooMany
        if found[2] or (found[1] or "").lower() == "include":
            nested = [text for text in texts_or_none(patient, found[3]) if _RECORD.match(text)]
            for each in nested[:1]:
                count = _count(patient, each, count)
    return count
