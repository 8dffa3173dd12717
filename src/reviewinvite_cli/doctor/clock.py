"""The clock of this machine agrees with the database server's, and with what `BASE_URL` answers as its `Date`."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.web import NoAnswer, get, leads_here
from reviewinvite_core.bootstrap.adapter_factory import machine_time

CHECK = "clock"
WARN_SECONDS, FAIL_SECONDS = 5.0, 60.0


def check(patient: Patient) -> Finding:
    """Compare with clocks of the installation itself: no public time server is asked."""
    compared = {name: off for name, off in (_database(patient), _proxy(patient)) if off is not None}
    if not compared:
        return ok(CHECK, f"{machine_time():%Y-%m-%d %H:%M:%S} UTC; no other machine's clock to compare with")
    name, off = max(compared.items(), key=lambda each: abs(each[1]))
    if abs(off) <= WARN_SECONDS:
        return ok(CHECK, f"agrees with {' and '.join(compared)}")
    text = f"{abs(off):.0f} seconds {'behind' if off > 0 else 'ahead of'} {name}"
    then = "Run a time service on both machines: chrony or systemd-timesyncd."
    return (failure if abs(off) > FAIL_SECONDS else warning)(CHECK, text, then)


def _database(patient: Patient) -> tuple[str, float | None]:
    """Return how many seconds this machine is behind the database's server, or None if that has no clock of its own."""
    from reviewinvite_core import ConfigurationError, StorageUnavailable

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
