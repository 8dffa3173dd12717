"""DMARC: the domain of `MAIL_FROM` says what becomes of e-mails that fail both. RFC 7489."""

from __future__ import annotations

import re

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.records import NotKnown, and_above, not_known, not_needed, sender_domain, texts_or_none

CHECK = "dmarc"
_RECORD = re.compile(r"v=DMARC1\s*;")
_POLICIES = {"none", "quarantine", "reject"}


def check(patient: Patient) -> Finding:
    """Look at the domain, then at those above it, whose record applies if it has none."""
    domain = sender_domain(patient)
    if finding := not_needed(CHECK, patient):
        return finding
    for each in and_above(domain):
        try:
            records = [text for text in texts_or_none(patient, f"_dmarc.{each}") if _RECORD.match(text)]
        except NotKnown:
            return not_known(CHECK, f"_dmarc.{each}")
        if len(records) > 1:
            return failure(CHECK, f"_dmarc.{each} has {len(records)} records, so none counts", "Keep one of them.")
        if records:
            return _of_record(each, records[0], below=each != domain)
    return warning(CHECK, f"{domain} has no DMARC record; large mail providers ask for one", "Publish a TXT record at "
                   f"_dmarc.{domain}: \"v=DMARC1; p=none; rua=mailto:you@{domain}\".")  # fmt: skip


def _of_record(domain: str, record: str, *, below: bool) -> Finding:
    """Return the finding for the record of this domain; for domains below it, `sp` applies if it is there."""
    pairs = (part.partition("=")[::2] for part in record.split(";"))
    tags = {name.strip().lower(): value.strip().lower() for name, value in pairs}
    if not {tags.get("p"), tags.get("sp", "none")} <= _POLICIES:
        return failure(CHECK, f"_dmarc.{domain} has no valid policy: {record}", "Give it p=none, quarantine or reject; "
                       "sp= may be left out.")  # fmt: skip
    name = "sp" if below and "sp" in tags else "p"
    return ok(CHECK, f"_dmarc.{domain}: {name}={tags[name]}")
