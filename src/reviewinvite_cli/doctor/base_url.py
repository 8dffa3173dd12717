"""`BASE_URL` leads to this installation: what answers there signs with keys that are in this database."""

from __future__ import annotations

import json

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.web import PUBLISH, NoAnswer, UnknownHost, get

CHECK = "base_url"
PATH = "/v1/badge/public-keys"


def check(patient: Patient) -> Finding:
    """Compare the public keys: only processes on this database can publish them, whatever proxy is in front."""
    from reviewinvite_core import ConfigurationError, StorageUnavailable

    url = patient.settings.base_url.rstrip("/")
    try:
        answer = get(f"{url}{PATH}", patient.seconds)
    except UnknownHost as error:
        return failure(CHECK, f"{url}: {error}", PUBLISH)
    except NoAnswer as error:
        return failure(
            CHECK,
            f"{url}: {error}",
            "Check the proxy's certificate."
            if "certificate" in str(error)
            else "Start reviewinvite serve and the proxy, and check this machine's firewall.",
        )
    if answer.status in range(300, 400):
        return failure(CHECK, f"{url} redirects to {answer.headers.get('location', '?')[:100]}", "Set BASE_URL to the "
                       "address to which it leads, without a redirect.")  # fmt: skip
    ids = _key_ids(answer.body) if answer.status == 200 else frozenset()
    if answer.status in (502, 503, 504):
        return failure(CHECK, f"{url} answers {answer.status}", "The proxy is there but the service is not ready: see "
                       "its log and `/readyz`.")  # fmt: skip
    if not ids:
        return failure(CHECK, f"{url} answers {answer.status}, but is not this service", "Let the proxy pass all paths "
                       "below BASE_URL on, unchanged.")  # fmt: skip
    try:
        ours = patient.inspection.signing_key_ids()
    except (ConfigurationError, StorageUnavailable):
        return warning(CHECK, f"{url} answers; the database cannot be read, so it may be another instance", "See the "
                       "check of the database.")  # fmt: skip
    if not ids <= ours:
        return failure(CHECK, f"{url} is another instance: its signing keys are not in this database", "Correct "
                       "BASE_URL or DATABASE_URL, or stop the other instance.")  # fmt: skip
    return ok(CHECK, f"{url} answers, with the keys of this database")


def _key_ids(body: bytes) -> frozenset[str]:
    try:
        return frozenset(str(key["kid"]) for key in json.loads(body)["keys"])
    except (ValueError, KeyError, TypeError):
        return frozenset()
