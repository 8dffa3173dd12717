"""DKIM: the domain of `MAIL_FROM`, or one above it, publishes the key with which the mail server signs. RFC 6376."""

from __future__ import annotations

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.records import (
    NoSuchName,
    NotKnown,
    and_above,
    not_known,
    not_needed,
    sender_domain,
    texts_at,
    texts_or_none,
)

CHECK = "dkim"
USUAL = ("default", "mail", "dkim", "selector1", "selector2", "s1", "s2", "k1", "k2", "google", "smtp", "key1")
_SIGN = (
    "Let the mail server sign for {domain}, and publish its key: see docs/how-to/reach-the-inbox.md in the source code."
)


def check(patient: Patient) -> Finding:
    """Look at the selector given, or else at usual ones: only the signature itself says which is used."""
    domain = sender_domain(patient)
    if finding := not_needed(CHECK, patient):
        return finding
    publishers: list[str] = []
    for each in and_above(domain):  # a signature of a domain above is aligned, too
        below = f"_domainkey.{each}"
        try:
            if not patient.dkim_selector:
                texts_at(patient, below)
                publishers.append(each)
            for selector in [patient.dkim_selector] if patient.dkim_selector else USUAL:
                name = f"{selector}.{below}"
                if keys := [text for text in texts_or_none(patient, name) if "p=" in text]:
                    return _of_key(keys[0], name, domain)
        except NoSuchName:  # so there is no name below it either (RFC 8020)
            continue
        except NotKnown:
            return not_known(CHECK, below)
    if patient.dkim_selector:
        name = f"{patient.dkim_selector}._domainkey.{domain}"
        return failure(CHECK, f"there is no DKIM key at {name}", _SIGN.format(domain=domain))
    if not publishers:
        return failure(CHECK, f"{domain} publishes no DKIM key", _SIGN.format(domain=domain))
    return warning(CHECK, f"{publishers[0]} publishes a DKIM key, but under no usual selector", "Name the selector: it "
                   "is s= in the DKIM-Signature of an e-mail that `mail test` sent. Then run `reviewinvite doctor "
                   "--dkim-selector NAME`.")  # fmt: skip


def _of_key(key: str, name: str, domain: str) -> Finding:
    tags = dict(part.strip().partition("=")[::2] for part in key.split(";"))
    if not tags.get("p", "").strip():
        return failure(CHECK, f"the DKIM key at {name} is revoked", _SIGN.format(domain=domain))
    return ok(CHECK, f"{name} has a key ({tags.get('k', 'rsa').strip()})")
