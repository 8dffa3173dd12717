"""Run the checks side by side: each is given up after its own time, and none stops another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reviewinvite_cli.doctor import (
    base_url,
    clock,
    database,
    deliveries,
    dkim,
    dmarc,
    https,
    jobs,
    mail,
    mark,
    proxies,
    schema,
    secret,
    settings,
    space,
    spf,
)
from reviewinvite_cli.doctor.finding import Finding, failure, warning
from reviewinvite_cli.doctor.patient import Patient

if TYPE_CHECKING:
    import dns.resolver

CHECK_SECONDS = 11.0
"""After it a check is given up; with the start of the program, all of them take at most 15 seconds."""


class Check(NamedTuple):
    """A check, and the settings without which it cannot run."""

    run: Callable[[Patient], Finding]
    needs: tuple[str, ...] = ()


_DATABASE = ("database_url", "secret", "secret_file", "handover_mark")
_FILES = ("database_url", "state_file")
CHECKS: Mapping[str, Check] = {
    settings.CHECK: Check(settings.check),
    secret.CHECK: Check(secret.check, _DATABASE),
    database.CHECK: Check(database.check, _DATABASE),
    schema.CHECK: Check(schema.check, _DATABASE),
    mark.CHECK: Check(mark.check, _DATABASE),
    space.CHECK: Check(space.check, _DATABASE),
    deliveries.CHECK: Check(deliveries.check, _DATABASE),
    jobs.BACKUPS: Check(jobs.check_backups, _FILES),
    jobs.PURGE: Check(jobs.check_purge, _FILES),
    clock.CHECK: Check(clock.check),
    mail.CHECK: Check(mail.check, ("mail_url",)),
    spf.CHECK: Check(spf.check, ("mail_from",)),
    dkim.CHECK: Check(dkim.check, ("mail_from",)),
    dmarc.CHECK: Check(dmarc.check, ("mail_from",)),
    base_url.CHECK: Check(base_url.check, ("base_url",)),
    proxies.CHECK: Check(proxies.check, ("trusted_proxies",)),
    https.CHECK: Check(https.check, ("base_url", "widget_url", "dashboard_url")),
}


def examine(
    patient: Patient, checks: Mapping[str, Check] = CHECKS, *, seconds: float = CHECK_SECONDS
) -> Sequence[Finding]:
    """Return what the checks found, in their order; a check that does not end within `seconds` is a failure."""
    found: dict[str, Finding] = {}
    started = [
        threading.Thread(target=_run, args=(name, each, patient, found), name=f"check-{name}", daemon=True)
        for name, each in checks.items()
    ]
    until = time.monotonic() + seconds
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(max(0.0, until - time.monotonic()))
    return [found.get(name) or _given_up(name, seconds) for name in checks]


def _run(name: str, check: Check, patient: Patient, found: dict[str, Finding]) -> None:
    if missing := patient.missing(*check.needs):
        found[name] = warning(name, f"not checked: {missing} is not valid", f"Correct {missing.upper()} first.")
        return
    try:
        found[name] = check.run(patient)
    except Exception as error:  # its text may contain a secret
        found[name] = failure(name, f"the check itself failed: {type(error).__name__}", "Please report this.")


def _given_up(name: str, seconds: float) -> Finding:
    return failure(
        name, f"no answer within {seconds:.0f} seconds", "Something hangs: the disk, the database or the network."
    )


def patient_of(
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    file: Path | None,
    *,
    new_resolver: Callable[[], dns.resolver.Resolver],
    dkim_selector: str | None = None,
) -> Patient:
    """Return the installation that these sources of settings describe; close its `inspection` when done."""
    from reviewinvite_core.admin import unknown_variables
    from reviewinvite_core.bootstrap.settings_report import report_settings
    from reviewinvite_core.maintenance.inspection import Inspection

    report = report_settings(flags, environment=environment, file=file)
    return Patient(
        settings=report.settings,
        faults=report.faults,
        unknown_variables=tuple(unknown_variables(environment)),
        inspection=Inspection(report.settings),
        new_resolver=new_resolver,
        dkim_selector=dkim_selector,
    )
