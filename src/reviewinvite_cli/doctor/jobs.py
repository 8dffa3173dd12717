"""Backups and purges were done lately."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.times import span

BACKUPS, PURGE = "backups", "purge"
_HOW = {
    "backup": "Back up (`db backup`, or another tool and then `backup record`); see "
    "docs/how-to/back-up-and-restore.md in the source code.",
    "purge": "Run `reviewinvite privacy purge` every day; see docs/how-to/answer-privacy-requests.md in the source "
    "code.",
}


def _check(patient: Patient, *, name: str, kind: str) -> Finding:
    from reviewinvite_core import ConfigurationError
    from reviewinvite_core.bootstrap.adapter_factory import machine_time
    from reviewinvite_core.domain.jobs import Job

    job, log, how = Job(kind), patient.inspection.job_log(), _HOW[kind]
    if log.base is None:
        return ok(name, "not needed: the database is in memory")
    try:
        state = log.state(job)
    except ConfigurationError as error:
        return failure(name, str(error), "Let this user read it, or remove it; the next run writes it again.")
    age = state.age(machine_time())
    last = (
        f"no {job} is known" if age is None or not state.succeeded_at else f"the last {job} succeeded {span(age)} ago"
    )
    if state.has_failed:
        return failure(name, f"{state.reason or 'it failed'}; {last}", f"Mend that, then run it again. {how}")
    if age is not None and age > job.stale_after:
        return failure(name, last, how)
    return ok(name, last) if state.succeeded_at else warning(name, last, how)


check_backups: Callable[[Patient], Finding] = partial(_check, name=BACKUPS, kind="backup")
check_purge: Callable[[Patient], Finding] = partial(_check, name=PURGE, kind="purge")
